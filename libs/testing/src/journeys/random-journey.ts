import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, FollowingReader, type TestClient } from '../client';

/** Longer than a lost worker's lease, a restart and a busy machine need together. */
const answeredWithinMs = 120_000;
const endedWithinMs = 180_000;
const askAgainMs = 100;
/** Time to wait for the end of a run in the stream before reading the run again. */
const lookAgainMs = 2_000;
/**
 * Without a projector, a run that was just started is not found until there is one again
 * (docs/decisions/conventions.md).
 */
const unprojected = 404;
const endedStatuses: readonly unknown[] = ['completed', 'failed', 'aborted'];

/** An effect that the service has promised by answering. */
export type Acknowledged = { readonly conversationId: string } & (
  | { readonly kind: 'created' | 'archived' }
  | { readonly kind: 'renamed'; readonly title: string }
  | { readonly kind: 'started'; readonly runId: string; readonly seq: number }
  | { readonly kind: 'ended'; readonly runId: string; readonly status: unknown }
  | { readonly kind: 'aborted'; readonly runId: string }
  | { readonly kind: 'approved'; readonly approvalId: string }
);

/**
 * The calls of a partner's backend, whatever process dies meanwhile: it retries until it is answered. Two conversations
 * in parallel, one with text, a tool call and text again, the other with a run that is aborted and one after it; both
 * are followed as streams.
 */
export class Journey {
  readonly acknowledged: Acknowledged[] = [];
  readonly readers: { readonly conversationId: string; readonly reader: FollowingReader }[] = [];

  /** @param random returns numbers from 0 to 1, which vary texts and times */
  constructor(
    private readonly client: TestClient,
    private readonly random: () => number,
  ) {}

  async walk(): Promise<void> {
    await Promise.all([this.talk(), this.changeOnesMind()]);
  }

  /** Ends the streams. */
  async close(): Promise<void> {
    await Promise.all(this.readers.map(({ reader }) => reader.close()));
  }

  private async talk(): Promise<void> {
    const conversationId = await this.open();
    await this.run(conversationId, `repeat after me: ${this.words(1, 4)}`);
    await this.run(conversationId, 'what time is it in Europe/Berlin');
    const title = this.words(1, 3);
    await answered(() => this.client.request('PATCH', `/conversations/${conversationId}`, { title }));
    this.acknowledged.push({ kind: 'renamed', conversationId, title });
    await this.run(conversationId, `repeat after me: ${this.words(1, 4)}`);
  }

  private async changeOnesMind(): Promise<void> {
    const conversationId = await this.open();
    const runId = await this.start(conversationId, `repeat after me: ${this.words(80, 100)}`);
    await sleep(this.random() * 400);
    await this.abort(conversationId, runId);
    await this.run(conversationId, `repeat after me: ${this.words(1, 3)}`);
    await answered(() => this.client.post(`/conversations/${conversationId}/archive`));
    this.acknowledged.push({ kind: 'archived', conversationId });
  }

  /** Creates a conversation and follows it; returns its id. */
  async open(): Promise<string> {
    const { body } = await answered(() => this.client.post<{ id: string }>('/conversations', {}));
    this.acknowledged.push({ kind: 'created', conversationId: body.id });
    this.readers.push({ conversationId: body.id, reader: new FollowingReader([this.client], body.id) });
    return body.id;
  }

  private async run(conversationId: string, text: string): Promise<void> {
    await this.untilEnded(conversationId, await this.start(conversationId, text));
  }

  /** Starts a run there; returns its id. */
  async start(conversationId: string, text: string): Promise<string> {
    const asked = { conversationId, runId: randomUUID(), input: { text } };
    const { body } = await answered(() => this.client.post<{ runId: string; seq: number }>('/agent-runs', asked));
    this.acknowledged.push({ kind: 'started', conversationId, runId: asked.runId, seq: body.seq });
    return asked.runId;
  }

  private async abort(conversationId: string, runId: string): Promise<void> {
    const deadline = performance.now() + endedWithinMs;
    // An abort of a run whose worker was lost answers false and stops nothing, so it is repeated until the run has
    // ended.
    while (!(await this.hasEnded(conversationId, runId))) {
      const ask = () => this.client.post<{ aborted?: boolean }>(`/agent-runs/${runId}/abort`);
      const { body } = await answered(ask, { orStatus: unprojected });
      if (body.aborted === true) this.acknowledged.push({ kind: 'aborted', conversationId, runId });
      if (performance.now() > deadline) throw new Error(`run ${runId} could not be aborted`);
      await sleep(askAgainMs);
    }
  }

  /** Waits for the end of a run. */
  async untilEnded(conversationId: string, runId: string): Promise<void> {
    const deadline = performance.now() + endedWithinMs;
    while (!(await this.hasEnded(conversationId, runId))) {
      if (performance.now() > deadline) throw new Error(`run ${runId} is stuck`);
      await this.toldOfEnd(conversationId, runId);
    }
  }

  /**
   * Waits until the stream delivers the end, or for some time; if it did, only briefly, because the read models soon
   * have it too.
   */
  private async toldOfEnd(conversationId: string, runId: string): Promise<void> {
    const reader = this.readers.find((one) => one.conversationId === conversationId)?.reader;
    const tells = () =>
      reader?.seen.some(({ type, data }) => type === 'run.ended' && data.payload['runId'] === runId) ?? false;
    if (tells()) await sleep(askAgainMs);
    else await reader?.has(tells, lookAgainMs);
  }

  private async hasEnded(conversationId: string, runId: string): Promise<boolean> {
    const ask = () => this.client.get<{ status: unknown }>(`/agent-runs/${runId}`);
    const { body } = await answered(ask, { orStatus: unprojected });
    if (!endedStatuses.includes(body.status)) return false;
    this.acknowledged.push({ kind: 'ended', conversationId, runId, status: body.status });
    return true;
  }

  private words(min: number, max: number): string {
    const count = min + Math.floor(this.random() * (max - min + 1));
    return Array.from({ length: count }, () => Math.floor(this.random() * 1e6).toString(36)).join(' ');
  }
}

/**
 * Sends a request until the answer is a 2xx, or has another expected status. It is repeated only if there is no answer
 * at all, or one that says that repeating may help.
 */
export async function answered<Body>(
  ask: () => Promise<Answer<Body>>,
  { orStatus = [] }: { readonly orStatus?: number | readonly number[] } = {},
): Promise<Answer<Body>> {
  const deadline = performance.now() + answeredWithinMs;
  const others = [orStatus].flat();
  for (;;) {
    const answer = await ask().catch((error: unknown) => {
      if (isBrokenOff(error)) return null;
      throw error;
    });
    if (answer !== null && (answer.status < 300 || others.includes(answer.status))) return answer;
    // Reason for the assertion: every answer that is no 2xx is a problem (specification, "Errors").
    const problem = answer?.body as { readonly retryable?: boolean } | undefined;
    if (answer !== null && problem?.retryable !== true) {
      throw new Error(`answered ${answer.status}: ${JSON.stringify(answer.body)}`);
    }
    if (performance.now() > deadline) throw new Error(`no answer in time, only ${JSON.stringify(answer?.body)}`);
    await sleep(askAgainMs);
  }
}

/**
 * Whether fetch reports a connection that was refused or broken; by name, because its TypeError is not the one of
 * jest's realm.
 */
function isBrokenOff(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'TypeError';
}

/** Returns a generator of random numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
