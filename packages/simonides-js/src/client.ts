import { SimonidesError, errorOfResponse } from "./errors.js";
import { Limit } from "./limit.js";
import type { Options, Path, RequestArgument, Result, UploadFields, VerbOf } from "./types.js";

const TIMEOUT_MS = 60_000;

export interface ClientOptions {
  /** Where the server is, such as `http://127.0.0.1:8321`. */
  baseUrl: string;
  /** The key, which determines the space; a server without keys needs none. */
  apiKey?: string | undefined;
  /** What is called instead of the global `fetch`. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds until the answer must be there, 60,000 by default; 0 is without end. */
  timeoutMs?: number | undefined;
}

/** What a request may have, whatever its path. */
interface Sent extends Options {
  params?: Record<string, string> | undefined;
  query?: object | undefined;
  body?: unknown;
}

/** Sends requests. It knows the types of all routes, but none by name. */
export class Client {
  readonly #baseUrl: string;
  readonly #apiKey: string | undefined;
  readonly #fetch: typeof fetch;
  readonly #isOwnFetch: boolean;
  readonly #timeoutMs: number;

  constructor({ baseUrl, apiKey, fetch: own, timeoutMs = TIMEOUT_MS }: ClientOptions) {
    this.#baseUrl = baseUrl.replace(/\/+$/, "");
    this.#apiKey = apiKey;
    // Called through the global object: a browser's fetch refuses another `this`.
    this.#fetch = own ?? ((...sent) => globalThis.fetch(...sent));
    this.#isOwnFetch = own !== undefined;
    this.#timeoutMs = timeoutMs;
  }

  /** Send a request and return the JSON of its answer. */
  async request<P extends Path, V extends VerbOf<P>>(
    verb: V,
    path: P,
    ...[request]: RequestArgument<V, P>
  ): Promise<Result<V, P>> {
    return this.#json(verb, path, request ?? {}) as Promise<Result<V, P>>;
  }

  /** Send a request and return its response, for headers and what is not JSON; reading it is not limited in time. */
  async raw<P extends Path, V extends VerbOf<P>>(
    verb: V,
    path: P,
    ...[request]: RequestArgument<V, P>
  ): Promise<Response> {
    const limit = this.#limit(request ?? {});
    try {
      const response = await this.#send(verb, path, request ?? {}, limit);
      // What is still to be read may be aborted by the caller.
      if (response.body) limit.stopTimer();
      else limit.end();
      return response;
    } catch (error) {
      limit.end();
      throw error;
    }
  }

  protected async upload<P extends Path>(path: P, file: Blob, fields: UploadFields, options: Options) {
    const { name = file instanceof File ? file.name : "upload", ...others } = fields;
    const form = new FormData();
    for (const [key, value] of Object.entries(others)) {
      if (value !== undefined) form.set(key, textOf(value));
    }
    form.set("file", file, name);
    return this.#json("POST", path, { ...options, body: form }) as Promise<Result<"POST", "/v1/imports">>;
  }

  async #json(verb: string, path: string, sent: Sent): Promise<unknown> {
    const limit = this.#limit(sent);
    try {
      const response = await this.#send(verb, path, sent, limit);
      return await response.json();
    } catch (error) {
      throw errorOfFetch(error, sent.signal);
    } finally {
      limit.end();
    }
  }

  #limit({ signal, timeoutMs = this.#timeoutMs }: Sent): Limit {
    return new Limit(signal, timeoutMs);
  }

  async #send(verb: string, path: string, sent: Sent, { signal }: Limit): Promise<Response> {
    const [url, init] = this.#prepare(verb, path, sent);
    try {
      const response = await this.#fetch(url, { ...init, signal });
      if (response.ok || response.status === 304) return response;
      throw await errorOfResponse(response);
    } catch (error) {
      throw errorOfFetch(error, sent.signal);
    }
  }

  /** Return what `fetch` takes: it would tell a value that cannot be sent like a server that is not there. */
  #prepare(verb: string, path: string, sent: Sent): [string, RequestInit] {
    try {
      const init = this.#init(verb, sent);
      return [this.#url(path, sent), { ...init, headers: new Headers(init.headers) }];
    } catch (cause) {
      if (cause instanceof SimonidesError) throw cause;
      throw new SimonidesError("invalid_input", `the request cannot be sent: ${cause}`, { cause });
    }
  }

  #url(path: string, { params = {}, query = {} }: Sent): string {
    const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segment(params[name] ?? ""));
    const found = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      for (const one of Array.isArray(value) ? value : [value]) {
        if (one !== undefined && one !== null) found.append(name, textOf(one));
      }
    }
    const text = found.toString();
    const url = this.#baseUrl + filled + (text && `?${text}`);
    // A browser takes an address without a host, Node none, and a function of one's own any.
    if (!this.#isOwnFetch) new Request(url);
    return url;
  }

  #init(verb: string, sent: Sent): RequestInit {
    const { body } = sent;
    const isText = body !== undefined && !(body instanceof FormData);
    return { method: verb, headers: this.#headers(sent), body: isText ? JSON.stringify(body, checked) : (body ?? null) };
  }

  #headers({ body, idempotencyKey, headers }: Sent): Record<string, string> {
    const made: Record<string, string> = {};
    if (this.#apiKey) made["Authorization"] = `Bearer ${this.#apiKey}`;
    if (body !== undefined && !(body instanceof FormData)) made["Content-Type"] = "application/json";
    if (idempotencyKey) made["Idempotency-Key"] = idempotencyKey;
    return { ...made, ...headers };
  }
}

/** Refuse a number that JSON would write as null. */
function checked(name: string, value: unknown): unknown {
  if (typeof value === "number" && !Number.isFinite(value)) throw new RangeError(`${name} is ${value}`);
  return value;
}

function textOf(value: unknown): string {
  if (value instanceof Date) return value.toISOString();
  return typeof value === "object" ? JSON.stringify(value, checked) : String(value);
}

/** Return a part of a path. An address cannot hold one that is empty or dots: it would be left out. */
function segment(id: string): string {
  if (["", ".", ".."].includes(id)) {
    throw new SimonidesError("invalid_input", `${JSON.stringify(id)} cannot be part of an address`);
  }
  return encodeURIComponent(id);
}

/** Return what is thrown for an error of `fetch`: the caller's own abort as it is. */
export function errorOfFetch(error: unknown, signal: AbortSignal | undefined): unknown {
  if (error instanceof SimonidesError || signal?.aborted) return error;
  const [name, cause] = error instanceof Error ? [error.name, error.cause ?? error] : ["", error];
  if (name === "TimeoutError") {
    return new SimonidesError("timeout", "the answer took too long", { retryable: true, cause });
  }
  if (name === "SyntaxError") {
    return new SimonidesError("unexpected_answer", "the answer is no JSON", { cause });
  }
  return new SimonidesError("unreachable", `the server cannot be reached: ${cause}`, { retryable: true, cause });
}
