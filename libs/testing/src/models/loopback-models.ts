import type { JsonObject } from '@app/kernel';
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { anthropicMessages } from './anthropic-messages';
import { chatCompletions } from './chat-completions';
import { MarkedCache, PrefixCache, type PromptCache } from './prompt-cache';
import type { Asked, ScriptedCall, ScriptedUsage, WireFormat } from './wire-format';

export type { Asked, AskedMessage, ScriptedCall } from './wire-format';

const caches = { 'openai-compatible': PrefixCache, anthropic: MarkedCache } as const;
const wireFormats = { 'openai-compatible': chatCompletions, anthropic: anthropicMessages } as const;
export type Provider = keyof typeof wireFormats;

/** An answer as a stream. Defaults: no text, no calls, a usage of 100 and 10 tokens, no pauses, and a normal end. */
export interface ScriptedReply {
  readonly text?: readonly string[];
  /** Sent before the text, and never shown to a reader. */
  readonly reasoning?: readonly string[];
  readonly calls?: readonly ScriptedCall[];
  /** Null: the provider sends none. `counted`: the input as its cache of prompts counts it, and 10 tokens. */
  readonly usage?: ScriptedUsage | 'counted' | null;
  /** Wait before the headers: llama.cpp's server holds them back until one of its slots is free. */
  readonly queuedMs?: number;
  /** Wait before each piece of text. */
  readonly pauseMs?: number;
  /**
   * `length`: like `finished`, but cut by the output limit, as every provider reports it (`finish_reason: length`,
   * `max_tokens`).
   * `accepted`: the headers, and nothing after them: vLLM sends them while a request is queued.
   * After the text (and without the calls): `reset` resets the connection, `cut` ends the body in good order but too
   * early, `silent` sends nothing more, `endless` never ends, `trouble` sends an error.
   */
  readonly ending?: 'finished' | 'length' | 'accepted' | 'reset' | 'cut' | 'silent' | 'endless' | 'trouble';
  /** The words of that error. */
  readonly troubleWords?: string;
}

/** An answer without a stream; the message is the provider's own text. */
export interface ScriptedRefusal {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly message?: string;
  /** Sent unchanged, in place of the format's own refusal. */
  readonly body?: object;
}

export type Scripted = ScriptedReply | ScriptedRefusal;
/** Answers in turn, repeating the last one; or a function that computes the answer from the request. */
export type Script = readonly Scripted[] | ((asked: Asked, count: number) => Scripted);

export interface RecordedRequest {
  readonly asked: Asked;
  readonly headers: IncomingHttpHeaders;
  readonly atMs: number;
  /** Resolves once the client has read the answer to its end or closed the connection before: which of them, and when. */
  readonly over: Promise<{ readonly how: 'finished' | 'closed'; readonly atMs: number }>;
}

const usual: ScriptedUsage = { inputTokens: 100, outputTokens: 10 };
const endlessPieces = 1_000_000;

/**
 * A model provider on loopback that speaks one of the wire formats and answers by its script. It refuses what real
 * servers refuse: in OpenAI's format, roles that do not alternate, as llama.cpp's server does with the chat templates
 * of Mistral and Gemma; in Anthropic's, too many marks for the cache, marks on empty texts, and calls without results.
 *
 * Source: OpenAI's API reference, "Chat"; Anthropic's API reference, "Messages"; llama.cpp's server with the templates
 * of five families (roles).
 */
export class LoopbackModels {
  readonly requests: RecordedRequest[] = [];
  private readonly waiting: (() => void)[] = [];
  private script: Script = [{ text: ['Hello.'] }];
  private scriptedFrom = 0;
  private cache: PromptCache;

  private constructor(
    private readonly server: Server,
    private readonly format: WireFormat,
    readonly provider: Provider,
  ) {
    this.cache = new caches[provider]();
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      // Some tests disconnect the client in the middle of a request.
      this.answer(request, response).catch(() => response.destroy());
    });
  }

  static async start(provider: Provider): Promise<LoopbackModels> {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return new LoopbackModels(server, wireFormats[provider], provider);
  }

  /** The value for MODEL_BASE_URL. */
  get baseUrl(): string {
    // Reason for the assertion: a server that listens on TCP has such an address.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Returns the environment of a deployment that uses this model. */
  environment(name = 'scripted-1'): Record<string, string> {
    return {
      MODEL_PROVIDER: this.provider,
      MODEL_BASE_URL: this.baseUrl,
      MODEL_API_KEY: 'key-for-the-loopback-models',
      MODEL_NAME: name,
      MODEL_PRICES: JSON.stringify({
        [name]: { inputUsdPerMillion: '3', cachedInputUsdPerMillion: '0.3', outputUsdPerMillion: '15' },
      }),
    };
  }

  /** Sets the answers from the next request on, and clears the recorded requests. */
  says(script: Script): void {
    this.script = script;
    this.requests.length = 0;
    this.scriptedFrom = 0;
  }

  /** Clears its cache of prompts. */
  forgets(): void {
    this.cache = new caches[this.provider]();
  }

  /** Resolves with the request of this number once it was received, counted since the script was set. */
  async asked(count: number): Promise<RecordedRequest> {
    while (this.requests.length < count) await new Promise<void>((resolve) => this.waiting.push(resolve));
    const request = this.requests[count - 1];
    if (request === undefined) throw new RangeError(`no request ${count}`);
    return request;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const over = new Promise<{ how: 'finished' | 'closed'; atMs: number }>((resolve) => {
      response.once('close', () => {
        resolve({ how: response.writableFinished ? 'finished' : 'closed', atMs: performance.now() });
      });
    });
    const chunks: Buffer[] = [];
    for await (const part of request) chunks.push(part as Buffer);
    if (request.url !== this.format.path) {
      response.writeHead(404).end();
      return;
    }
    // Reason for the assertion: the product's own client sends it; a wrong shape fails the test that reads it.
    const asked = this.format.read(JSON.parse(Buffer.concat(chunks).toString('utf8')) as JsonObject);
    this.requests.push({ asked, headers: request.headers, atMs: performance.now(), over });
    this.waiting.splice(0).forEach((resolve) => resolve());
    const fault = this.format.faultIn(asked);
    const scripted = fault ?? this.next(asked);
    if ('status' in scripted) this.refuse(scripted, response);
    else await this.speak(scripted, this.usageOf(scripted, asked), response);
  }

  private next(asked: Asked): Scripted {
    const count = ++this.scriptedFrom;
    if (typeof this.script === 'function') return this.script(asked, count);
    return this.script[count - 1] ?? this.script.at(-1) ?? {};
  }

  private refuse({ status, headers, message, body }: ScriptedRefusal, response: ServerResponse): void {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body ?? this.format.refusal(status, message ?? 'words of the provider')));
  }

  private usageOf({ usage = usual }: ScriptedReply, { body }: Asked): ScriptedUsage | null {
    return usage === 'counted' ? { outputTokens: 10, ...this.cache.count(this.format.pieces(body)) } : usage;
  }

  private async speak(reply: ScriptedReply, usage: ScriptedUsage | null, response: ServerResponse): Promise<void> {
    const { text = [], reasoning = [], queuedMs = 0, pauseMs = 0, ending = 'finished' } = reply;
    const hasText = text.length > 0 || ending === 'endless';
    if (queuedMs > 0) await sleep(queuedMs, undefined, { ref: false });
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
    response.flushHeaders();
    if (ending === 'accepted') return;
    await write(response, this.format.opening(hasText, usage));
    if (reasoning.length > 0) await write(response, this.format.reasoning(reasoning));
    for (const piece of text) {
      if (pauseMs > 0) await sleep(pauseMs);
      await write(response, [this.format.piece(piece)]);
    }
    if (ending === 'finished' || ending === 'length') await this.finish(reply, usage, response);
    else await this.breakOff(reply, response, pauseMs);
  }

  private async breakOff(
    { ending, troubleWords = 'words of the provider' }: ScriptedReply,
    response: ServerResponse,
    pauseMs: number,
  ): Promise<void> {
    if (ending === 'cut') response.end();
    if (ending === 'trouble') response.end(this.format.trouble(troubleWords));
    if (ending === 'endless') await this.goOn(response, Math.max(pauseMs, 1));
    if (ending === 'reset') {
      await sleep(20); // so that the data written before is in flight
      response.socket?.resetAndDestroy();
    }
  }

  private async finish(reply: ScriptedReply, usage: ScriptedUsage | null, response: ServerResponse): Promise<void> {
    const { calls = [], text = [] } = reply;
    const hasText = text.length > 0;
    await write(response, this.format.calls(calls, hasText));
    await write(response, this.format.ending(calls.length > 0, usage, hasText, reply.ending === 'length'));
    response.end();
  }

  private async goOn(response: ServerResponse, pauseMs: number): Promise<void> {
    for (let piece = 0; piece < endlessPieces && !response.destroyed; piece += 1) {
      await write(response, [this.format.piece('and so on, ')]);
      await sleep(pauseMs);
    }
  }
}

async function write(response: ServerResponse, frames: readonly string[]): Promise<void> {
  for (const frame of frames) {
    if (response.destroyed || response.write(frame)) continue;
    await new Promise<void>((resolve) => {
      const goOn = () => {
        response.off('drain', goOn).off('close', goOn);
        resolve();
      };
      response.on('drain', goOn).on('close', goOn);
    });
  }
}
