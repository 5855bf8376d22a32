// A real server in a temporary home, with a language model that this file plays.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";

const PROGRAM = process.env["SIMONIDES"] ?? "simonides";

export interface Served {
  url: string;
  /** A key that allows to read and write, and one that allows to write alone. */
  key: string;
  writeKey: string;
  stop(): Promise<void>;
}

/** Start a server on a free port, and return once it answers. */
export async function serve(): Promise<Served> {
  const home = mkdtempSync(join(tmpdir(), "simonides-js-"));
  const model = await startModel();
  const env = environment(home, model);
  const key = createKey(env, "read", "write");
  const writeKey = createKey(env, "write");
  const child = spawn(PROGRAM, ["serve", "--port", "0", "--json"], { env, stdio: ["ignore", "pipe", "inherit"] });
  const ended = once(child, "exit").then(([code]) => Promise.reject(new Error(`the server ended with ${code}`)));
  const [line] = (await Promise.race([once(createInterface(child.stdout), "line"), ended])) as [string];
  const stop = async () => {
    child.kill(); // by its process id
    await once(child, "exit");
    model.closeAllConnections();
    model.close();
    rmSync(home, { recursive: true });
  };
  return { url: JSON.parse(line).url, key, writeKey, stop };
}

function environment(home: string, model: Server): NodeJS.ProcessEnv {
  return {
    ...process.env,
    SIMONIDES_HOME: home,
    SIMONIDES_EMBEDDER: "none",
    SIMONIDES_TIMEZONE: "UTC",
    SIMONIDES_CHAT_PROVIDER: "openai",
    SIMONIDES_CHAT_MODEL: "played",
    SIMONIDES_CHAT_API_KEY: "key",
    SIMONIDES_CHAT_BASE_URL: `http://127.0.0.1:${(model.address() as AddressInfo).port}/v1`,
  };
}

function createKey(env: NodeJS.ProcessEnv, ...permissions: string[]): string {
  const options = permissions.flatMap((one) => ["--permission", one]);
  const made = execFileSync(PROGRAM, ["keys", "create", "--space", "alice", "--json", ...options], { env });
  return JSON.parse(made.toString()).key;
}

/** Start a model that answers in two pieces, or begins and never ends if it is asked to wait. */
async function startModel(): Promise<Server> {
  const server = createServer(async (request, response) => {
    let asked = "";
    for await (const piece of request) asked += piece;
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    say(response, "It is due ");
    if (asked.includes("Wait")) return;
    say(response, "on Friday. 金曜日");
    response.end("data: [DONE]\n\n");
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  server.unref(); // a server that does not start must not leave the tests waiting for this one
  return server;
}

function say(response: ServerResponse, content: string): void {
  const choices = [{ index: 0, delta: { role: "assistant", content } }];
  response.write(`data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices })}\n\n`);
}
