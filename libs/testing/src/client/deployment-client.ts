import { setTimeout as sleep } from 'node:timers/promises';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { type FrameCheck, frameCheckOf } from './frames';

const frameWithinMs = 120_000;
const answeredWithinMs = 120_000;
const askAgainMs = 100;
const framesMax = 100_000;

/** An HTTP answer, with its JSON body; `Body` is the type that the test expects, unchecked. */
export interface Answer<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Body;
}

/** A user of the deployment, with credentials, calling one replica as a partner's backend does. */
export class TestClient {
  constructor(
    readonly baseUrl: string,
    readonly partnerKey: string,
    readonly token: string,
    readonly userId: string,
  ) {}

  /** Returns the same user, calling another replica. */
  via(baseUrl: string): TestClient {
    return new TestClient(baseUrl, this.partnerKey, this.token, this.userId);
  }

  get headers(): Record<string, string> {
    return { 'x-api-key': this.partnerKey, authorization: `Bearer ${this.token}` };
  }

  /** @param path below `/v1/users/{userId}`, or absolute if it starts with `/v1/` */
  url(path: string): string {
    return path.startsWith('/v1/') ? `${this.baseUrl}${path}` : `${this.baseUrl}/v1/users/${this.userId}${path}`;
  }

  async get<Body = Record<string, unknown>>(path: string): Promise<Answer<Body>> {
    return this.request<Body>('GET', path);
  }

  async post<Body = Record<string, unknown>>(path: string, body?: object): Promise<Answer<Body>> {
    return this.request<Body>('POST', path, body);
  }

  async request<Body = Record<string, unknown>>(method: string, path: string, body?: object): Promise<Answer<Body>> {
    return untilBack(() => requestJson<Body>(method, this.url(path), body, this.headers));
  }

  /** Opens an event stream. Throws if it is refused. */
  async stream(path: string, headers: Record<string, string> = {}): Promise<EventReader> {
    return EventReader.open(this.url(path), { ...this.headers, ...headers });
  }
}

/**
 * Sends a request; on a bad day of the event store (`WEATHER`) it retries while a store is unavailable, as partners are
 * asked to.
 */
export async function untilBack<Body>(ask: () => Promise<Answer<Body>>): Promise<Answer<Body>> {
  const deadline = performance.now() + answeredWithinMs;
  for (;;) {
    const answer = await ask();
    // Reason for the assertion: every 503 is a problem (specification, "Errors").
    const isAway = answer.status === 503 && (answer.body as { readonly reason?: string }).reason === 'internal';
    if (process.env['WEATHER'] === undefined || !isAway || performance.now() > deadline) return answer;
    await sleep(askAgainMs);
  }
}

/**
 * Sends one request, with or without a JSON body. The answer's body is an empty object if it is empty, and text if it
 * is not JSON.
 */
export async function requestJson<Body = Record<string, unknown>>(
  method: string,
  url: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<Answer<Body>> {
  const type = body === undefined ? {} : { 'content-type': 'application/json' };
  const response = await fetch(url, {
    method,
    headers: { ...headers, ...type },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  // Reason for the assertion: the test states the type that it expects, and checks the members that matter to it.
  const parsed = (text === '' ? {} : isJson(response) ? JSON.parse(text) : text) as Body;
  return { status: response.status, headers: response.headers, body: parsed };
}

function isJson({ headers }: Response): boolean {
  return /^application\/(problem\+)?json\b/.test(headers.get('content-type') ?? '');
}

/** One SSE frame; `data` is its JSON. */
export interface Frame {
  readonly id: string | undefined;
  readonly event: string | undefined;
  readonly data: {
    readonly delivery: string;
    readonly seq?: number;
    readonly requestId?: string;
    readonly payload: Record<string, unknown>;
  };
}

/** Reads an event stream, keeping every frame. An undocumented frame fails the test that reads or closes the stream. */
export class EventReader {
  readonly frames: Frame[] = [];
  /** The fault of the first frame that is not as documented. */
  fault: string | null = null;
  /** Settles when the stream ends, whichever side ended it. */
  readonly ended: Promise<void>;
  private readonly abort = new AbortController();
  private wake: () => void = () => undefined;
  private tell: (frame: Frame) => void = () => undefined;
  private isOver = false;

  private constructor(
    body: ReadableStream<Uint8Array>,
    abort: AbortController,
    private readonly faultOf: FrameCheck,
  ) {
    this.abort = abort;
    this.ended = this.read(body).finally(() => {
      this.isOver = true;
      this.wake();
    });
  }

  static async open(url: string, headers: Record<string, string>): Promise<EventReader> {
    const abort = new AbortController();
    const faultOf = await frameCheckOf(url);
    const response = await fetch(url, { headers, signal: abort.signal });
    if (response.status !== 200 || response.body === null) {
      throw new Error(`the stream was refused: ${response.status} ${await response.text()}`);
    }
    return new EventReader(response.body, abort, faultOf);
  }

  /**
   * Returns the first frame that fits, among those read and future ones. Throws if none arrives in time or the stream
   * ends.
   */
  async until(fits: (frame: Frame) => boolean, withinMs = frameWithinMs): Promise<Frame> {
    const deadline = performance.now() + withinMs;
    for (let next = 0; ;) {
      this.assertDocumented();
      for (; next < this.frames.length; next += 1) {
        const frame = this.frames[next];
        if (frame !== undefined && fits(frame)) return frame;
      }
      if (this.isOver || performance.now() > deadline) {
        const seen = this.frames.map(({ event }) => event).join(', ');
        throw new Error(`the frame did not come${this.isOver ? ', the stream is over' : ''}; seen: ${seen}`);
      }
      await this.more(deadline - performance.now());
    }
  }

  /** Returns the first frame with this SSE `event`. */
  async untilEvent(event: string, withinMs?: number): Promise<Frame> {
    return this.until((frame) => frame.event === event, withinMs);
  }

  /** Passes the frames so far, and each later one, to `take`. */
  forEach(take: (frame: Frame) => void): void {
    for (const frame of this.frames) take(frame);
    this.tell = take;
  }

  async close(): Promise<void> {
    this.abort.abort();
    await this.ended;
    this.assertDocumented();
  }

  private assertDocumented(): void {
    if (this.fault !== null) throw new Error(`a frame is not as /asyncapi.json describes it: ${this.fault}`);
  }

  private async more(withinMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      this.wake = resolve;
      timer = setTimeout(resolve, withinMs);
    });
    clearTimeout(timer);
  }

  private async read(body: ReadableStream<Uint8Array>): Promise<void> {
    const parser = createParser({ onEvent: (message) => this.keep(message) });
    const decoder = new TextDecoder();
    try {
      for await (const chunk of body) parser.feed(decoder.decode(chunk, { stream: true }));
    } catch {
      // Cut off, by the test or by the end of the replica: `until` reports it to the callers that still wait.
    }
  }

  private keep({ id, event, data }: EventSourceMessage): void {
    if (this.frames.length >= framesMax) throw new Error('more frames than a test should read');
    this.fault ??= this.faultOf({ id, event, data });
    // Reason for the assertion: every frame's data is a FinEvent (docs/decisions/journal.md); tests check its members.
    const frame = { id, event, data: JSON.parse(data) as Frame['data'] };
    this.frames.push(frame);
    this.tell(frame);
    this.wake();
  }
}
