// Written by `simonides integrate opencode`; `simonides integrate opencode --undo` removes it.
// Hands a brief over before each prompt, and keeps what was said.
import { spawnSync } from "node:child_process";
import { randomUUID } from "node:crypto";

const COMMAND = ["SIMONIDES"];

function hook(task, event) {
  const [program, ...options] = COMMAND;
  const ran = spawnSync(program, [...options, "hook", task], {
    input: JSON.stringify(event), encoding: "utf8", timeout: 20_000,
  });
  try {
    return JSON.parse(ran.stdout).hookSpecificOutput.additionalContext;
  } catch {
    return ""; // nothing to add, or a failure: the agent goes on without
  }
}

const words = (parts) =>
  parts.filter((part) => part.type === "text" && !part.synthetic).map((part) => part.text).join("\n");

export const Simonides = async ({ client, directory }) => ({
  "chat.message": async (input, output) => {
    const prompt = words(output.parts);
    const brief = hook("prompt", { session_id: input.sessionID, prompt, cwd: directory });
    if (brief)
      output.parts.push({
        id: `prt_${randomUUID()}`, sessionID: input.sessionID, messageID: output.message.id,
        type: "text", text: brief, synthetic: true,
      });
  },
  event: async ({ event }) => {
    if (event.type !== "session.idle") return;
    const id = event.properties.sessionID;
    const { data } = await client.session.messages({ path: { id } });
    const last = (data ?? []).filter((one) => one.info.role === "assistant").pop();
    if (last)
      hook("stop", { session_id: id, last_assistant_message: words(last.parts), cwd: directory });
  },
});
