import { isJsonObject, parsedJson } from '@app/kernel';
import { fetchWithoutRedirects } from '@app/runtime';
import { estimatedTokens } from './cost';
import type { FrameNotes, FrameReader } from './frames/frame-notes';
import { readFrames } from './frames/read-frames';
import { ProviderTrouble, type Attempt } from './provider';

/** Most bytes of one answer with its framing, which is many times its text. */
const answerBytesMax = 32 * 1024 * 1024;

/** Most bytes of the member that names the output limit. */
const limitBytesMax = 48;

/** How a provider names its output limit; OpenAI's newer models take the second name only. */
type LimitName = 'max_tokens' | 'max_completion_tokens';

/** The longest silence that is accepted: before the first byte, while the provider may have others to serve, and after it. */
export interface Silence {
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** A `fetch` that limits the requested output, and gives up on silence or on too many bytes; `gaveUp` has the reason. */
export class WatchedFetch {
  gaveUp: Error | null = null;
  /** The output limit that was sent; null before, and if none was. */
  sentLimit: number | null = null;
  /** Whether the answer declares itself a stream of events. */
  isStream = false;
  private readonly own = new AbortController();
  private timer: NodeJS.Timeout | null = null;
  private bytes = 0;

  constructor(
    private readonly silence: Silence,
    private readonly limitName: LimitName,
    private readonly frames: { readonly reader: FrameReader; readonly notes: FrameNotes },
    private readonly heard: Pick<Attempt, 'onAccepted' | 'onFirstByte' | 'limitOutput'>,
  ) {}

  /** Aborts when it gives up, and when it is stopped. */
  get signal(): AbortSignal {
    return this.own.signal;
  }

  readonly fetch: typeof globalThis.fetch = async (input, init) => {
    const body = await this.limit(init?.body);
    this.wait('queued', this.silence.firstByteTimeoutMs);
    // Another host could not be trusted with the key.
    const response = await fetchWithoutRedirects(input, { ...init, body });
    this.isStream = response.headers.get('content-type')?.includes('text/event-stream') === true;
    if (response.ok) this.heard.onAccepted(estimatedTokens(Buffer.byteLength(body)));
    if (response.body === null) return response;
    const { status, statusText, headers } = response;
    const watch = new TransformStream<Uint8Array, Uint8Array>({
      transform: (chunk, controller) => {
        this.count(chunk.length);
        controller.enqueue(chunk);
      },
    });
    const watched = response.body.pipeThrough(watch);
    // A refusal is passed on unchanged.
    const { reader, notes } = this.frames;
    const answer = response.ok ? readFrames(watched, reader, notes) : watched;
    return new Response(answer, { status, statusText, headers });
  };

  /** Ends the watch and whatever is in flight. */
  stop(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    // Without a reason, because the SDK would take one for an error of the provider.
    this.own.abort();
  }

  /** Limits the request here, because only its final text shows how large it is, and so how much is left for the answer. */
  private async limit(body: unknown): Promise<string> {
    if (typeof body !== 'string') throw new TypeError('a request to a model is sent as text');
    try {
      // The limit itself takes at most this many bytes more.
      const tokensMax = await this.heard.limitOutput(estimatedTokens(Buffer.byteLength(body) + limitBytesMax));
      const limited = limitBody(body, tokensMax, this.limitName);
      this.sentLimit = limited.limit;
      return limited.body;
    } catch (error) {
      this.gaveUp = error instanceof Error ? error : new Error(String(error));
      throw error;
    }
  }

  private count(length: number): void {
    if (this.bytes === 0) this.heard.onFirstByte();
    this.wait('late', this.silence.idleTimeoutMs);
    this.bytes += length;
    if (this.bytes > answerBytesMax)
      this.giveUp(new ProviderTrouble('too_long', `an answer of more than ${answerBytesMax} bytes`, false));
  }

  private wait(trouble: 'queued' | 'late', timeoutMs: number): void {
    if (this.timer !== null) clearTimeout(this.timer);
    const silence = new ProviderTrouble(trouble, `nothing came for ${timeoutMs} ms`, trouble === 'late');
    this.timer = setTimeout(() => this.giveUp(silence), timeoutMs);
  }

  private giveUp(why: ProviderTrouble): void {
    this.gaveUp = why;
    this.stop();
  }
}

/** Returns a request's body with an output limit of at most `tokensMax`, under that name; a smaller limit is kept, and null is none. */
function limitBody(body: string, tokensMax: number | null, name: LimitName) {
  const request = parsedJson(body);
  if (!isJsonObject(request)) throw new TypeError('a request to a model is an object');
  const { max_tokens: old, max_completion_tokens: present = old, ...rest } = request;
  const limit = typeof present === 'number' ? Math.min(present, tokensMax ?? present) : tokensMax;
  return limit === null ? { body, limit } : { body: JSON.stringify({ ...rest, [name]: limit }), limit };
}
