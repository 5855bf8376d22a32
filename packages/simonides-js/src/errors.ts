import type { Schemas } from "./types.js";

type Problem = Schemas["Problem"];

type More = Partial<Problem> & { retryAfterS?: number | undefined; cause?: unknown };

const RETRYABLE = [429, 502, 503, 504];

/** Whatever went wrong, with a `code` that stays. */
export class SimonidesError extends Error {
  override readonly name = "SimonidesError";
  /** Such as `not_found`; of this client `timeout`, `unreachable` and `unexpected_answer`. */
  readonly code: string;
  /** The status of HTTP; 0 if there was no answer. */
  readonly status: number;
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** After how many seconds it may, if the server says so. */
  readonly retryAfterS: number | undefined;
  /** The id of the request in the log of the server. */
  readonly requestId: string;
  /** What is wrong with which field. */
  readonly errors: Problem["errors"];

  constructor(code: string, message: string, more: More = {}) {
    super(message, { cause: more.cause });
    this.code = code;
    this.status = more.status ?? 0;
    this.retryable = more.retryable ?? false;
    this.retryAfterS = more.retryAfterS;
    this.requestId = more.request_id ?? "";
    this.errors = more.errors ?? [];
  }
}

/** Return the error that a problem of the server tells. */
export function errorOf(problem: Problem, retryAfterS?: number): SimonidesError {
  return new SimonidesError(problem.code, problem.detail, { ...problem, retryAfterS });
}

/** Return the error of a response that is none of success. */
export async function errorOfResponse(response: Response): Promise<SimonidesError> {
  const text = await response.text();
  const retryAfterS = secondsOf(response.headers.get("Retry-After"));
  const problem = problemOf(text);
  if (problem) return errorOf(problem, retryAfterS);
  // Not the server's own answer: a proxy stands before it, or the address leads elsewhere.
  const retryable = RETRYABLE.includes(response.status);
  const { status, statusText } = response;
  const message = `${status} ${statusText}: ${text.slice(0, 200)}`;
  return new SimonidesError("unexpected_answer", message, { status, retryable, retryAfterS });
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header) ? Number(header) : undefined;
}

function problemOf(text: string): Problem | undefined {
  try {
    const read: unknown = JSON.parse(text);
    const isOne = typeof read === "object" && read !== null && "code" in read && "detail" in read;
    return isOne ? (read as Problem) : undefined;
  } catch {
    return undefined;
  }
}
