/** The end of a request: when its caller aborts it, or its time is over. */
export class Limit {
  readonly #own = new AbortController();
  readonly #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #abort = () => this.#own.abort(this.caller?.reason);

  // AbortSignal.any would be shorter. In Node 20 and later, what it is made of may be collected
  // before it fires, and the request then never ends (nodejs/node#57736).
  constructor(readonly caller: AbortSignal | undefined, timeoutMs: number) {
    if (timeoutMs) this.#timer = setTimeout(() => this.#own.abort(new DOMException("", "TimeoutError")), timeoutMs);
    if (caller?.aborted) this.#abort();
    caller?.addEventListener("abort", this.#abort, { once: true });
  }

  get signal(): AbortSignal {
    return this.#own.signal;
  }

  /** No time is over any more; the caller may still abort what is read of the answer. */
  stopTimer(): void {
    clearTimeout(this.#timer);
  }

  end(): void {
    this.stopTimer();
    this.caller?.removeEventListener("abort", this.#abort);
  }
}
