import type { components, paths } from "./api.js";

/** The records of requests and answers, by name. */
export type Schemas = components["schemas"];

export type Path = keyof paths;

type Verb = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** The methods that a path has. */
export type VerbOf<P extends Path> = {
  [V in Verb]: paths[P][Lowercase<V>] extends { responses: unknown } ? V : never;
}[Verb];

type Operation<V extends Verb, P extends Path> = paths[P][Lowercase<V>];

/** The parameters of the query string. */
export type Query<V extends Verb, P extends Path> =
  Operation<V, P> extends { parameters: { query?: infer Q } } ? NonNullable<Q> : never;

type Params<O> = O extends { parameters: { path: infer T } } ? { params: T } : { params?: never };

type Body<O> = O extends { requestBody: { content: { "application/json": infer B } } } ? { body: B } : { body?: never };

type Succeeded<R> = R[Extract<keyof R, 200 | 201>];

/** What a key may get that is not allowed to read (202) is left out where there is another answer. */
type Answered<R> = [Succeeded<R>] extends [never] ? R[Extract<keyof R, 202>] : Succeeded<R>;

/** The answer of a route, if it is JSON. */
export type Result<V extends Verb, P extends Path> =
  Operation<V, P> extends { responses: infer R }
    ? Answered<R> extends { content: { "application/json": unknown } }
      ? Answered<R>["content"]["application/json"]
      : never
    : never;

/** What every call takes. */
export interface Options {
  /** Aborts the request; the call is rejected with the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds until the answer must be there, or must begin if it is a stream; 0 is without end. */
  timeoutMs?: number | undefined;
  /** For a POST that writes: the server executes requests with the same key once. */
  idempotencyKey?: string | undefined;
  /** Further headers, such as `If-Match`. */
  headers?: Record<string, string> | undefined;
}

/** What a request to a path takes. */
export type Request<V extends Verb, P extends Path> = Options &
  Params<Operation<V, P>> &
  Body<Operation<V, P>> & { query?: Query<V, P> };

/** A request that may be left out if nothing in it is required. */
export type RequestArgument<V extends Verb, P extends Path> =
  Options extends Request<V, P> ? [request?: Request<V, P>] : [request: Request<V, P>];

type Form = NonNullable<paths["/v1/imports"]["post"]["requestBody"]>["content"]["multipart/form-data"];

/** What is said of an upload. `name` is for a file that has none: its ending shows its format. */
export type UploadFields = Omit<Form, "file"> & { name?: string };

/** One event of a streamed chat turn; `reply` is the last. */
export type ChatStreamEvent = Schemas["ChatEvent"] | { kind: "reply"; reply: Schemas["ChatReply"] };
