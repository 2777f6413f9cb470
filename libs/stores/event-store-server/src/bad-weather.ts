import { createHash } from 'node:crypto';
import type { Failure } from './failure';
import type { Log } from './log';
import type { OpenCalls } from './services/open-calls';
import type { WriteRequest, WriteResult, Writes } from './writing/request';

const strikes = ['abort', 'elect', 'reset', 'stall', 'lose'] as const;
type Strike = (typeof strikes)[number];

const PAUSE_MIN_MS = 300;
const PAUSE_MAX_MS = 2_000;
const ELECTION_MS = 3_000;
const STALL_MS = 1_000;

const NOT_READY: Failure = { kind: 'not-ready' };
const TOO_SLOW: Failure = { kind: 'too-slow' };
const LOST: Failure = { kind: 'unavailable', message: 'the connection broke before the answer' };

/**
 * Simulates a cluster on a bad day, for tests only, one fault after the other: it rejects live subscribers as too slow, elects a leader for
 * 3 s (every append and new read fails because the server is not ready), resets all connections, stalls the appends for a second, or stores
 * one and loses its answer together with its call. It reports no search progress to subscribers (`OpenCalls.checkpoints`). All of it was
 * seen on EventStoreDB 23.10.6 under load and while leaders were killed. The seed determines which fault is next, and when.
 */
export class BadWeather implements Writes {
  private next: NodeJS.Timeout | undefined;
  /** Timers that end the lasting faults. */
  private readonly ends = new Map<'elect' | 'stall', NodeJS.Timeout>();
  private drawn = 0;
  private losesAnswer = false;
  /** Appends that wait for the end of a stall. */
  private stalled: (() => void)[] | undefined;

  constructor(
    private readonly seed: string,
    private readonly writer: Writes,
    private readonly calls: OpenCalls,
    private readonly log: Log,
  ) {}

  /** @param reset breaks all connections */
  begin(reset: () => void): void {
    this.calls.checkpoints = false;
    const pauseMs = PAUSE_MIN_MS + this.draw(PAUSE_MAX_MS - PAUSE_MIN_MS);
    this.next = setTimeout(() => {
      this.strike(strikes[this.draw(strikes.length)] ?? 'reset', reset);
      this.begin(reset);
    }, pauseMs);
  }

  end(): void {
    clearTimeout(this.next);
    for (const end of this.ends.values()) clearTimeout(end);
    this.ends.clear();
    this.calls.refusal = undefined;
    this.resume();
  }

  get isFull(): boolean {
    return this.writer.isFull;
  }

  onRoom(callback: () => void): void {
    this.writer.onRoom(callback);
  }

  submit(request: WriteRequest, onDone: (result: WriteResult) => void): void {
    if (this.calls.refusal) return onDone(this.calls.refusal);
    if (this.stalled) return void this.stalled.push(() => this.submit(request, onDone));
    if (!this.losesAnswer) return this.writer.submit(request, onDone);
    this.losesAnswer = false;
    this.writer.submit(request, (result) => onDone(result.kind === 'written' ? LOST : result));
  }

  private strike(strike: Strike, reset: () => void): void {
    this.log('info', 'bad weather', { strike });
    switch (strike) {
      case 'abort':
        return this.calls.failSubscriptions(TOO_SLOW);
      case 'elect':
        this.calls.refusal = NOT_READY;
        this.endsAfter('elect', ELECTION_MS, () => (this.calls.refusal = undefined));
        return reset();
      case 'reset':
        return reset();
      case 'stall':
        this.stalled ??= [];
        this.endsAfter('stall', STALL_MS, () => this.resume());
        return;
      case 'lose':
        this.losesAnswer = true;
    }
  }

  /** Another fault of the same kind restarts its time. */
  private endsAfter(strike: 'elect' | 'stall', ms: number, end: () => void): void {
    clearTimeout(this.ends.get(strike));
    this.ends.set(strike, setTimeout(end, ms));
  }

  private resume(): void {
    const { stalled = [] } = this;
    this.stalled = undefined;
    for (const submit of stalled) submit();
  }

  /** The next integer of the seed, from 0 to below `bound`. */
  private draw(bound: number): number {
    return createHash('sha256').update(`${this.seed} ${this.drawn++}`).digest().readUInt32BE() % bound;
  }
}
