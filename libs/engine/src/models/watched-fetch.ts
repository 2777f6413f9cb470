/** Of one answer with its framing, which is many times its text. */
const answerBytesMax = 32 * 1024 * 1024;

/** A `fetch` that gives up when nothing comes for too long or too much comes; `gaveUp` says which. */
export class WatchedFetch {
  gaveUp: string | null = null;
  private readonly own = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private bytes = 0;

  constructor(private readonly idleTimeoutMs: number) {}

  /** Aborts when it gives up, and when it is stopped. */
  get signal(): AbortSignal {
    return this.own.signal;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    this.alive();
    // Another host could not be trusted with the key.
    const response = await globalThis.fetch(input, { ...init, redirect: 'error' });
    this.alive();
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.count(chunk.length);
        controller.enqueue(chunk);
      },
    });
    return new Response(response.body.pipeThrough(watch), { status, statusText, headers });
  };

  /** Ends the watch and whatever is still under way. */
  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    // Without a reason of its own: the SDK would take that for an error of the provider's.
    this.own.abort();
  }

  private count(length: number): void {
    this.alive();
    this.bytes += length;
    if (this.bytes > answerBytesMax) this.giveUp(`an answer of more than ${answerBytesMax} bytes`);
  }

  private alive(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = setTimeout(() => this.giveUp(`nothing came for ${this.idleTimeoutMs} ms`), this.idleTimeoutMs);
  }

  private giveUp(why: string): void {
    this.gaveUp = why;
    this.stop();
  }
}
