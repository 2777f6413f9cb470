import type { Method } from '@app/http';
import { abortAfter, bodyWithin, fetchWithoutRedirects } from '@app/runtime';
import { setTimeout as sleep } from 'node:timers/promises';
import { succeeded } from '../operators/operator-api';
import { answerBytesMax, parsed, type Answered } from '../operators/operator-call';
import { CommandFailed, NoAnswer } from '../terminal/outcome';
import type { ServiceAccess } from '../service/service-access';
import { below, noAnswerOf } from '../service/service-fetch';

const answerWithinMs = 15_000;
const lookEveryMs = 100;

interface Minted {
  readonly accessToken: string;
}

/** The calls of a partner, an operator and the owner of a sandbox, each with a time limit. */
export class SandboxCalls {
  /** @param withinMs limit of every wait; @param signal ends waits early */
  constructor(
    readonly access: ServiceAccess,
    private readonly withinMs: number,
    private readonly signal: AbortSignal,
  ) {}

  /** @throws CommandFailed when no sandbox answers */
  async requireSandbox(): Promise<void> {
    const clock = await this.send('GET', '/sandbox/v1/clock');
    if (clock.status === 404)
      throw new CommandFailed(
        `${this.access.baseUrl} is no sandbox, or not on this machine's loopback: events are triggered in a sandbox only`,
      );
    succeeded(clock);
  }

  async tokenOf(subject: string): Promise<string> {
    return (await this.ofSandbox<Minted>('POST', '/tokens', { subject })).accessToken;
  }

  /** Makes a call as a partner's backend does for a user. @throws CommandFailed when it is refused */
  async asPartner<Answer>(token: string, method: Method, path: string, body?: object): Promise<Answer> {
    return answerOf(await this.send(method, path, body, this.partnerHeaders(token)));
  }

  /** The same, whatever the answer. @throws NoAnswer */
  async attempt(token: string, method: Method, path: string): Promise<void> {
    await this.send(method, path, undefined, this.partnerHeaders(token));
  }

  /** Makes a call as an operator of the sandbox's own issuer, with only the scope of users. @throws CommandFailed when it is refused */
  async asOperator(method: Method, path: string, body: object): Promise<void> {
    const minting = { subject: 'parley-trigger', scopes: ['users'] };
    const { accessToken } = await this.ofSandbox<Minted>('POST', '/operator-tokens', minting);
    answerOf(await this.send(method, path, body, { authorization: `Bearer ${accessToken}` }));
  }

  /** @throws CommandFailed when it is refused */
  async ofSandbox<Answer>(method: Method, path: string, body: object): Promise<Answer> {
    return answerOf(await this.send(method, `/sandbox/v1${path}`, body));
  }

  /** Polls until there is a value. @throws CommandFailed when there is none in time, or the signal aborts */
  async until<Value>(what: string, look: () => Promise<Value | null>): Promise<Value> {
    const startedMs = performance.now();
    for (;;) {
      if (this.signal.aborted) throw new CommandFailed('ended before it was done');
      const value = await look();
      if (value !== null) return value;
      if (performance.now() - startedMs > this.withinMs)
        throw new CommandFailed(
          `not within ${this.withinMs / 1_000} s: ${what}. GET /sandbox/v1/faults tells what is switched on.`,
        );
      await sleep(lookEveryMs);
    }
  }

  private partnerHeaders(token: string): Readonly<Record<string, string>> {
    return { 'x-api-key': this.access.partnerKey, authorization: `Bearer ${token}` };
  }

  /** @throws NoAnswer */
  private async send(
    method: Method,
    path: string,
    body?: object,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<Answered> {
    const { baseUrl } = this.access;
    const sent = body !== undefined && { body: JSON.stringify(body) };
    const all = { ...headers, ...(sent && { 'content-type': 'application/json' }) };
    try {
      const signal = abortAfter(answerWithinMs);
      const answer = await fetchWithoutRedirects(below(baseUrl, path), { method, headers: all, signal, ...sent });
      return { status: answer.status, body: parsed((await bodyWithin(answer, answerBytesMax)).toString()) };
    } catch (error) {
      throw new NoAnswer(noAnswerOf(baseUrl, error));
    }
  }
}

/** @throws CommandFailed with the problem in words */
function answerOf<Answer>(answered: Answered): Answer {
  // Reason for the assertion: the answer's shape is the contract's, which the caller names.
  return succeeded(answered) as Answer;
}
