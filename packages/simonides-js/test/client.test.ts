import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { Simonides, SimonidesError, type ChatStreamEvent } from "simonides";
import { serve, type Served } from "./server.js";

const CONTENT = "The Alpha deadline moved to Friday.";

let served: Served | undefined;
let client: Simonides;

before(async () => {
  served = await serve();
  client = new Simonides({ baseUrl: `${served.url}/`, apiKey: served.key });
});

after(() => served?.stop());

/** Return a check of an error for `assert.rejects`. */
function fails(code: string, status: number, retryable = false) {
  return (error: unknown) => {
    assert.ok(error instanceof SimonidesError, String(error));
    assert.deepEqual([error.code, error.status, error.retryable], [code, status, retryable]);
    return true;
  };
}

async function added(content: string, id?: string): Promise<string> {
  const { outcomes } = await client.add({ content, source: "test", kind: "document", id: id ?? null });
  return outcomes[0]!.id;
}

test("what was added is found, briefed, read and listed until it is forgotten", async () => {
  const id = await added(CONTENT);

  const found = await client.search({ query: "When is Alpha due?" });
  assert.equal(found.entries[0]?.item.id, id);
  const brief = await client.brief({ query: "When is Alpha due?", budget_tokens: 500 });
  assert.match(brief.text, /Alpha deadline/);
  assert.equal((await client.get(id)).content, CONTENT);
  const page = await client.list({ source: ["test", "other"], filter: JSON.stringify({ kinds: ["document"] }) });
  assert.deepEqual(page.items.map((one) => one.id), [id]);

  assert.deepEqual(await client.forget(id), { forgotten: [id] });
  await assert.rejects(client.forget("missing"), fails("not_found", 404));
  assert.deepEqual((await client.list()).items, []);
});

test("a value that cannot be sent is a mistake of the caller, and no server that is not there", async () => {
  const mistake = fails("invalid_input", 0);
  await assert.rejects(client.add({ content: "x", metadata: { n: 1n } as never }), mistake);
  await assert.rejects(client.add({ content: "x" }, { idempotencyKey: "漢" }), mistake);
  await assert.rejects(client.agenda({ since: new Date(NaN) as never }), mistake);
});

test("a date may be a time of a query, as it may of a body", async () => {
  const { since } = await client.agenda({ since: new Date("2026-01-01") as never, until: "2026-02-01" });
  assert.equal(since, "2026-01-01T00:00:00Z");
});

test("what several spaces answer has its own type", async () => {
  const found = await client.search({ query: "Alpha", spaces: ["alice"] });
  const spaces: string[] = found.entries.map((one) => one.space);
  assert.ok(spaces.every((one) => one === "alice"));
});

test("an id may hold a slash and any letter", async () => {
  for (const id of ["notes/2026/history", "Bücher #1? 100%", "日本/🦊"]) {
    assert.equal(await added(`About ${id}`, id), id);
    assert.equal((await client.get(id)).id, id);
    assert.equal((await client.history(id)).versions.length, 1);
  }
});

test("an id that an address cannot hold is refused before anything is sent", async () => {
  for (const id of ["", ".", ".."]) await assert.rejects(client.get(id), fails("invalid_input", 0));
});

test("a statement is remembered, and preferences and sessions have their groups", async () => {
  const remembered = await client.remember({ text: "I live in Hamburg." });
  assert.equal((await client.memories.get(remembered.id)).content, "I live in Hamburg.");
  assert.equal((await client.preferences.set("tone", { value: "short" })).value, "short");
  const { id } = await client.sessions.create();
  await client.sessions.add(id, { role: "user", content: "Hello" });
  assert.equal((await client.sessions.messages(id)).items.length, 1);
});

test("an error has its code, and says which field is wrong", async () => {
  const refused = client.search({ query: "Alpha", limit: 0 });
  await assert.rejects(refused, (error: SimonidesError) => {
    assert.equal(error.errors[0]?.field, "limit");
    assert.match(error.message, /limit/);
    assert.ok(error.requestId);
    return fails("invalid_input", 422)(error);
  });
});

test("a wrong key is refused", async () => {
  const stranger = new Simonides({ baseUrl: served!.url, apiKey: "sim_wrong_key" });
  await assert.rejects(stranger.stats(), fails("access_denied", 401));
});

test("a key that may only write learns that it was accepted, and no more", async () => {
  const writer = new Simonides({ baseUrl: served!.url, apiKey: served!.writeKey });
  const answer: unknown = await writer.add({ content: "Seen at the door." });
  assert.deepEqual(answer, { accepted: true });
  await assert.rejects(writer.list(), fails("access_denied", 403));
});

test("a request is executed once for its idempotency key", async () => {
  const sent = { body: { content: "Once." }, idempotencyKey: "once" };
  const responses = [await client.raw("POST", "/v1/items", sent), await client.raw("POST", "/v1/items", sent)];
  assert.deepEqual(responses.map((one) => one.headers.get("Idempotency-Replayed")), [null, "true"]);
});

test("an item is changed only if it is of the version that was read", async () => {
  const id = await added("First.");
  const etag = (await client.raw("GET", "/v1/items/{id}", { params: { id } })).headers.get("ETag") ?? "";
  await client.update(id, { content: "Second." }, { headers: { "If-Match": etag } });
  const again = client.update(id, { content: "Third." }, { headers: { "If-Match": etag } });
  await assert.rejects(again, fails("precondition_failed", 412));
});

test("a file is uploaded, with its name and its fields", async () => {
  const file = new File(["# Beta\n\nBeta is due on Monday.\n"], "beta.md");
  const begun = await client.imports.upload(file, { source: "notes", dry_run: true });
  const found = await client.imports.get(begun.id);
  assert.deepEqual([found.id, found.file], [begun.id, "beta.md"]);
});

test("an export is a response, to be read as it comes", async () => {
  const response = await client.export();
  assert.equal(response.headers.get("Content-Type"), "application/x-ndjson");
  assert.ok((await response.text()).endsWith("\n"));
});

test("a chat turn is one answer, or its events and then the reply", async () => {
  const whole = await client.chat({ message: "When is Alpha due?" });
  const events: ChatStreamEvent[] = [];
  for await (const event of client.chatStream({ message: "When is Alpha due?" })) events.push(event);

  const said = events.map((event) => (event.kind === "text" ? event.text : "")).join("");
  assert.equal(said, "It is due on Friday. 金曜日");
  const last = events.at(-1);
  assert.equal(last?.kind === "reply" && last.reply.message, whole.message);
});

test("a stream that is left, or aborted, ends", async () => {
  for await (const event of client.chatStream({ message: "Wait" })) {
    assert.equal(event.kind, "text");
    break;
  }
  const leaving = new AbortController();
  const aborted = async () => {
    for await (const _ of client.chatStream({ message: "Wait" }, { signal: leaving.signal })) leaving.abort();
  };
  await assert.rejects(aborted(), { name: "AbortError" });
});

test("a stream that is refused is an error with its code", async () => {
  const events = client.chatStream({ message: "" });
  await assert.rejects(events.next(), fails("invalid_input", 422));
});

test("a request that is aborted is rejected with the reason", async () => {
  const reason = new Error("the page was left");
  await assert.rejects(client.stats({ signal: AbortSignal.abort(reason) }), reason);
});

test("an answer that takes too long is an error that may be tried again", async () => {
  const late = client.chat({ message: "Wait" }, { timeoutMs: 300 });
  await assert.rejects(late, fails("timeout", 0, true));
});

test("a server that is not there is an error that may be tried again", async () => {
  const nobody = new Simonides({ baseUrl: "http://127.0.0.1:65535" });
  await assert.rejects(nobody.stats(), /ECONNREFUSED/);
  await assert.rejects(nobody.stats(), fails("unreachable", 0, true));
});
