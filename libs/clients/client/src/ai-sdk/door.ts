import { jitteredMs, pause } from '../retries.js';

/** The server refused, or could not be reached until retrying ended. `message` can be shown. */
export class ChatRefused extends Error {
  override readonly name = 'ChatRefused';

  constructor(
    /** Parley's reason, or one of your server's; `unreachable` if there was no answer. */
    readonly reason: string,
    /** The HTTP status; 0 if there was no answer. */
    readonly status: number,
    readonly retryable: boolean,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

export interface DoorOptions {
  /** The path at which `handleChat` is mounted. */
  readonly api: string;
  readonly headers?: HeadersInit | (() => HeadersInit | Promise<HeadersInit>);
  readonly credentials?: RequestCredentials;
  /** Defaults to the browser's own `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
  /** How long failed calls are retried. Default 60,000. */
  readonly retryForMs?: number;
}

interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Whether to retry after a refusal; by default if it is retryable. */
  readonly worthAnotherTry?: (refused: ChatRefused) => boolean;
}

const retryForMsDefault = 60_000;
const firstDelayMs = 250;
const delayMaxMs = 4_000;
const titleLengthMax = 500;

/** Calls the partner's own server. */
export class Door {
  constructor(private readonly options: DoorOptions) {}

  /** A successful answer, after any number of attempts: every call here may be repeated. Throws ChatRefused, or the signal's reason. */
  async call(call: Call): Promise<Response> {
    const { signal, worthAnotherTry = ({ retryable }) => retryable } = call;
    const until = performance.now() + (this.options.retryForMs ?? retryForMsDefault);
    for (let failures = 0; ; failures += 1) {
      const answer = await this.attempt(call);
      if (!(answer instanceof ChatRefused)) return answer;
      if (performance.now() >= until || !worthAnotherTry(answer)) throw answer;
      await pause(jitteredMs(firstDelayMs, delayMaxMs, failures), signal);
    }
  }

  private async attempt({ method, path, body, headers, signal }: Call): Promise<Response | ChatRefused> {
    const { api, credentials = 'same-origin' } = this.options;
    const all = new Headers(await this.ownHeaders());
    if (body !== undefined) all.set('content-type', 'application/json');
    for (const [name, value] of Object.entries(headers ?? {})) all.set(name, value);
    const send = this.options.fetch ?? globalThis.fetch;
    const init = {
      method,
      headers: all,
      credentials,
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    };
    try {
      const response = await send(`${api}${path}`, init);
      return response.ok ? response : await refusalOf(response);
    } catch (error) {
      signal.throwIfAborted();
      return new ChatRefused('unreachable', 0, true, 'The connection failed.', { cause: error });
    }
  }

  private async ownHeaders(): Promise<HeadersInit> {
    const { headers } = this.options;
    return typeof headers === 'function' ? headers() : (headers ?? {});
  }
}

async function refusalOf(response: Response): Promise<ChatRefused> {
  const body = parseJson(await response.text());
  const reason = textOf(body, 'reason') ?? String(response.status);
  const title = textOf(body, 'title') ?? `The server answered ${response.status}.`;
  const told: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, 'retryable') : undefined;
  const retryable = typeof told === 'boolean' ? told : response.status >= 500 || response.status === 429;
  return new ChatRefused(reason, response.status, retryable, title);
}

function textOf(body: unknown, name: string): string | null {
  const value: unknown = typeof body === 'object' && body !== null ? Reflect.get(body, name) : undefined;
  return typeof value === 'string' && value !== '' ? value.slice(0, titleLengthMax) : null;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch {
    return null; // a proxy's page: only the status is usable
  }
}
