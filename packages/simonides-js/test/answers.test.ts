// What a server seldom says, or a proxy before it: the answers are made here.
import assert from "node:assert/strict";
import { getEventListeners } from "node:events";
import { test } from "node:test";
import { Simonides, SimonidesError } from "simonides";

const PROBLEM = {
  type: "urn:simonides:problem:overloaded", title: "Service Unavailable", status: 503, detail: "too many",
  code: "overloaded", retryable: true, request_id: "r1", errors: [],
};

function answering(body: BodyInit | null, init: ResponseInit = {}): Simonides {
  const fetch = async () => new Response(body, init);
  return new Simonides({ baseUrl: "http://memory.test", fetch });
}

async function errorOf(call: Promise<unknown>): Promise<SimonidesError> {
  const error: unknown = await call.then(() => undefined, (reason: unknown) => reason);
  assert.ok(error instanceof SimonidesError, String(error));
  return error;
}

async function kindsOf(client: Simonides): Promise<string[]> {
  const kinds: string[] = [];
  for await (const event of client.chatStream({ message: "Hello" })) kinds.push(event.kind);
  return kinds;
}

test("an error says after how many seconds to try again", async () => {
  const client = answering(JSON.stringify(PROBLEM), { status: 503, headers: { "Retry-After": "7" } });
  const error = await errorOf(client.stats());
  assert.deepEqual([error.code, error.retryable, error.retryAfterS, error.requestId], ["overloaded", true, 7, "r1"]);
});

test("a page of a proxy is an error with its status", async () => {
  const error = await errorOf(answering("<h1>Bad Gateway</h1>", { status: 502 }).stats());
  assert.deepEqual([error.code, error.status, error.retryable], ["unexpected_answer", 502, true]);
});

test("an answer that is no JSON is an error", async () => {
  assert.equal((await errorOf(answering("<html>").stats())).code, "unexpected_answer");
});

test("a stream that ends with a problem throws it", async () => {
  const error = await errorOf(kindsOf(answering(`event: problem\ndata: ${JSON.stringify(PROBLEM)}\n\n`)));
  assert.equal(error.code, "overloaded");
});

test("a stream that ends without a reply is cut off", async () => {
  const piece = 'event: text\ndata: {"kind": "text", "text": "a", "name": ""}\n\n';
  const error = await errorOf(kindsOf(answering(piece)));
  assert.deepEqual([error.code, error.retryable], ["unexpected_answer", true]);
});

test("comments and other ends of lines are understood", async () => {
  const stream = ': still here\n\nevent: text\r\ndata: {"kind": "text"}\r\n\r\nevent: reply\ndata: {}\n\n';
  assert.deepEqual(await kindsOf(answering(stream)), ["text", "reply"]);
});

test("what is sent is what was asked for", async () => {
  const sent: Request[] = [];
  const fetch: typeof globalThis.fetch = async (url, init) => {
    sent.push(new Request(url, init));
    return new Response("{}");
  };
  const client = new Simonides({ baseUrl: "http://memory.test/below/", apiKey: "k", fetch });
  await client.list({ kind: ["email", "task"], limit: 5 });
  await client.get("a/b ü", {}, { headers: { "X-Request-Id": "mine" } });

  assert.deepEqual(sent.map((one) => one.url), [
    "http://memory.test/below/v1/items?kind=email&kind=task&limit=5",
    "http://memory.test/below/v1/items/a%2Fb%20%C3%BC",
  ]);
  assert.equal(sent[1]?.headers.get("X-Request-Id"), "mine");
  assert.equal(sent[1]?.headers.get("Authorization"), "Bearer k");
});

/** Return a client of a server that never answers. */
function hanging(): Simonides {
  const fetch: typeof globalThis.fetch = (_, init) =>
    new Promise((_, reject) => {
      const { signal } = init!;
      if (signal!.aborted) reject(signal!.reason);
      signal!.addEventListener("abort", () => reject(signal!.reason));
    });
  return new Simonides({ baseUrl: "http://memory.test", fetch, timeoutMs: 50 });
}

test("a time limit holds when memory is collected before it is over", async () => {
  const late = errorOf(hanging().stats({ signal: new AbortController().signal }));
  globalThis.gc!();
  assert.equal((await late).code, "timeout");
});

test("a request leaves nothing behind on the signal of its caller", async () => {
  const { signal } = new AbortController();
  await answering("{}").stats({ signal });
  await answering(null, { status: 304 }).raw("GET", "/v1/items/{id}", { params: { id: "a" }, signal });
  await errorOf(answering("{}", { status: 500 }).raw("GET", "/v1/stats", { signal }));
  await errorOf(hanging().raw("GET", "/v1/stats", { signal }));
  assert.deepEqual(getEventListeners(signal, "abort"), []);
});

test("an address that is none, and a number that JSON lacks, are mistakes of the caller", async () => {
  const elsewhere = new Simonides({ baseUrl: "127.0.0.1:8398" });
  assert.deepEqual(await errorOf(elsewhere.stats()).then((one) => [one.code, one.retryable]), ["invalid_input", false]);
  const error = await errorOf(answering("{}").add({ content: "x", metadata: { a: NaN } }));
  assert.equal(error.code, "invalid_input");
  assert.match(error.message, /a is NaN/);
});
