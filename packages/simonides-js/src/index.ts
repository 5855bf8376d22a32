import { errorOfFetch } from "./client.js";
import { SimonidesError, errorOf } from "./errors.js";
import { eventsOf } from "./events.js";
import { Operations } from "./operations.js";
import type { ChatStreamEvent, Options, Schemas } from "./types.js";

export type { ClientOptions } from "./client.js";
export { SimonidesError } from "./errors.js";
export type { ChatStreamEvent, Options, Path, Query, Result, Schemas, UploadFields } from "./types.js";

type SearchRequest = Schemas["SearchRequest"];
type ChatRequest = Omit<Schemas["ChatRequest"], "stream">;

/** A client of one server, with one key. */
export class Simonides extends Operations {
  /** Search for a question; return the hits, best first, each with its explanation. */
  override search(body: SearchRequest & { spaces: string[] }, options?: Options): Promise<Schemas["MultiSpaceResult"]>;
  override search(body: SearchRequest & { spaces?: null }, options?: Options): Promise<Schemas["SearchResult"]>;
  override search(
    body: SearchRequest,
    options?: Options,
  ): Promise<Schemas["SearchResult"] | Schemas["MultiSpaceResult"]>;
  override search(body: SearchRequest, options: Options = {}) {
    return super.search(body, options);
  }

  /** Send a message to the assistant; both messages are stored in the session. */
  override chat(body: ChatRequest, options: Options = {}) {
    return super.chat({ ...body, stream: false }, options);
  }

  /** Send a message, and yield what the turn tells while it runs. */
  async *chatStream(body: ChatRequest, options: Options = {}): AsyncGenerator<ChatStreamEvent, void> {
    const response = await this.raw("POST", "/v1/chat", { ...options, body: { ...body, stream: true } });
    try {
      for await (const { event, data } of eventsOf(response)) {
        if (event === "problem") throw errorOf(JSON.parse(data));
        if (event === "reply") return yield { kind: "reply", reply: JSON.parse(data) };
        yield JSON.parse(data) as ChatStreamEvent;
      }
    } catch (error) {
      throw errorOfFetch(error, options.signal);
    }
    throw new SimonidesError("unexpected_answer", "the turn ended without a reply", { retryable: true });
  }
}
