import { epochMsOf, instantOf, Unavailable, words, type Instant } from '@app/kernel';
import {
  SessionRejected,
  type Holding,
  type OperationFailure,
  type Order,
  type Planned,
  type Revocation,
  type Settlement,
  type Submission,
  type Submitted,
} from '@app/wallets';
import { randomLapses, type Hostility, type Lapse } from './hostility';

type Outcome = 'settled' | 'refunded' | 'failed';

/** A submission that has had its effect. `key` is unique among them, otherwise something was paid twice. */
export interface Taken {
  readonly submission: Submission;
  readonly index: number;
  readonly reference: string;
  readonly takenAtMs: number;
  readonly settlesAtMs: number;
  readonly outcome: Outcome;
  /** Whether its bytes take more than was ordered. */
  readonly isGreedy: boolean;
  readonly lapses: readonly Lapse[];
}

/**
 * The longest delay of a submission in flight. A port promises that nothing is in flight for as long as the driver
 * waits to be sure.
 */
const delayMaxMs = 20_000;
/** Third parties may take longer than any deadline. */
const strangersDelayMaxMs = 2_400_000;
const hourMs = 3_600_000;
/** The ending of bytes that take more than was ordered. */
const greedyMark = '!';

/** A provider in simulated time, which counts effects by key. */
export class SimulatedProvider {
  readonly taken = new Map<string, Taken>();
  readonly counts = {
    acceptedUnheard: 0,
    duplicates: 0,
    lapses: 0,
    resends: 0,
    refusals: 0,
    greedy: 0,
    sessions: 0,
    strangers: 0,
    mistaken: 0,
    revoked: 0,
  };
  sessionGood = true;
  private readonly revoked = new Set<string>();
  private readonly refused = new Map<string, OperationFailure>();
  private readonly sent = new Map<string, number>();
  private inFlight: { readonly atMs: number; readonly submission: Submission; readonly isStrangers: boolean }[] = [];

  constructor(
    readonly clock: { readonly nowMs: number },
    private readonly hostility: () => Hostility,
    private readonly random: () => number,
    private readonly balances: Map<string, bigint>,
  ) {}

  nextArrivalMs(): number {
    return Math.min(Infinity, ...this.inFlight.map(({ atMs }) => atMs));
  }

  /** Delivers everything that has arrived until now, each at its own time. */
  arrive(): void {
    const arrived = this.inFlight.filter(({ atMs }) => atMs <= this.clock.nowMs).sort((a, b) => a.atMs - b.atMs);
    this.inFlight = this.inFlight.filter(({ atMs }) => atMs > this.clock.nowMs);
    for (const { atMs, submission, isStrangers } of arrived) this.deliver(submission, atMs, isStrangers);
  }

  holdings(): readonly Holding[] {
    this.enter();
    return [...this.balances]
      .filter(([, amount]) => amount > 0n)
      .map(([tokenId, amount]) => ({
        tokenId,
        symbol: tokenId,
        name: tokenId,
        decimals: 6,
        priceUsdDecimal: '1',
        iconUrl: null,
        amountRaw: amount.toString(),
      }));
  }

  plan({ key, attempt, order, latestDeadline }: Order): Planned {
    this.enter();
    const ownMs = this.clock.nowMs + 10_000 + Math.floor(this.random() ** 3 * 1_800_000);
    const deadline: Instant = ownMs < epochMsOf(latestDeadline) ? instantOf(ownMs) : latestDeadline;
    const input =
      'input' in order
        ? order.input
        : { tokenId: order.inputTokenId, amountRaw: (BigInt(order.inputMaxRaw) / 2n).toString() };
    const output = order.kind === 'swap_exact_output' ? order.output : null;
    const bought =
      order.kind === 'swap_exact_input' ? { tokenId: order.outputTokenId, amountRaw: input.amountRaw } : output;
    const promised = { output: bought, leastOutput: bought, quote: null };
    const submission = { key, attempt, bytes: `${key}@${deadline}`, input, ...promised, deadline };
    if (!this.happens('greedy')) return { ok: true, submission };
    this.counts.greedy += 1;
    const more = { ...input, amountRaw: (BigInt(input.amountRaw) * 3n).toString() };
    return { ok: true, submission: { ...submission, bytes: `${submission.bytes}${greedyMark}`, input: more } };
  }

  submit(submission: Submission): Submitted {
    this.enter();
    const { key } = submission;
    const before = this.sent.get(key) ?? 0;
    this.sent.set(key, before + 1);
    if (before > 0) this.counts.resends += 1;
    if (this.happens('timeoutBefore')) throw away();
    if (this.happens('delayed')) {
      this.send(submission);
      throw away();
    }
    if (this.happens('rejected') && !this.taken.has(key)) this.refused.set(key, refusal);
    if (!this.taken.has(key) && !this.refused.has(key) && this.happens('refused')) return this.refuse(submission);
    this.deliver(submission, this.clock.nowMs);
    if (this.happens('duplicated')) this.send(submission);
    if (this.happens('timeoutAfter')) {
      if (this.taken.has(key)) this.counts.acceptedUnheard += 1;
      throw away();
    }
    const failure = this.refused.get(key);
    if (failure !== undefined) return { kind: 'rejected', failure };
    const { reference, settlesAtMs } = this.mustHave(key);
    return { kind: 'accepted', providerReference: reference, checkAt: this.maybe(instantOf(settlesAtMs)) };
  }

  /** Refuses a submission whose bytes third parties keep and send later, possibly after the deadline. */
  private refuse(submission: Submission): Submitted {
    this.counts.strangers += 1;
    const atMs = this.clock.nowMs + Math.floor(this.random() ** 2 * strangersDelayMaxMs);
    this.inFlight.push({ atMs, submission, isStrangers: true });
    return { kind: 'refused', failure: refusal };
  }

  planRevocation({ key }: Submission): Revocation | null {
    this.enter();
    return this.random() < 0.1 ? null : { key, bytes: `revoke ${key}` };
  }

  /** Revokes the submission unless it was executed. */
  revoke({ key }: Revocation): void {
    this.enter();
    if (this.happens('timeoutBefore')) throw away();
    if (this.random() < 0.3) return;
    if (!this.taken.has(key) && !this.revoked.has(key)) {
      this.counts.revoked += 1;
      this.revoked.add(key);
    }
    if (this.happens('timeoutAfter')) throw away();
  }

  settlement({ key, deadline }: Submission, revocation: Revocation | null): Settlement {
    this.enter();
    const taken = this.taken.get(key);
    const { nowMs } = this.clock;
    if (taken === undefined) {
      const failure = this.refused.get(key);
      // A driver that does not know of the revocation mistakes its effect for the submission's.
      if (this.revoked.has(key) && revocation === null) {
        this.counts.mistaken += 1;
        return { kind: 'settled', providerReference: 'of the revocation', output: null, returned: null };
      }
      if (failure === undefined)
        return { kind: 'never_accepted', isFinal: this.revoked.has(key) || nowMs >= epochMsOf(deadline) };
      return this.random() < 0.5 ? { kind: 'never_accepted', isFinal: true } : { kind: 'failed', failure };
    }
    const lapse = taken.lapses.find(({ fromMs, toMs }) => fromMs <= nowMs && nowMs < toMs);
    if (lapse !== undefined) {
      this.counts.lapses += 1;
      return lapse.kind === 'unknown' ? { kind: 'unknown' } : { kind: 'never_accepted', isFinal: false };
    }
    const { reference: providerReference, settlesAtMs, outcome } = taken;
    if (nowMs < settlesAtMs) return { kind: 'pending', providerReference, checkAt: this.maybe(instantOf(settlesAtMs)) };
    if (outcome === 'failed') return { kind: 'failed', failure: { reason: 'provider_rejected', text: words`No.` } };
    return { kind: outcome, providerReference, output: null, returned: null };
  }

  private enter(): void {
    this.arrive();
    if (this.happens('away')) throw away();
    if (this.sessionGood) return;
    this.counts.sessions += 1;
    throw new SessionRejected();
  }

  private send(submission: Submission): void {
    this.counts.duplicates += 1;
    this.inFlight.push({
      atMs: this.clock.nowMs + Math.floor(this.random() * delayMaxMs),
      submission,
      isStrangers: false,
    });
  }

  /**
   * Takes effect at most once for a key, and never after the deadline or a refusal, however late and often it arrives.
   */
  private deliver(submission: Submission, atMs: number, isStrangers = false): void {
    const { key, input, deadline } = submission;
    if (this.taken.has(key) || this.refused.has(key) || this.revoked.has(key)) return;
    const balance = this.balances.get(input.tokenId) ?? 0n;
    const refuse = (reason: OperationFailure['reason']): void => {
      this.counts.refusals += 1;
      // Third parties may retry a submission that failed for them.
      if (isStrangers) return;
      this.refused.set(key, { reason, text: words`No.` });
    };
    if (atMs >= epochMsOf(deadline)) return refuse('quote_expired');
    if (BigInt(input.amountRaw) > balance) return refuse('insufficient_balance');
    this.balances.set(input.tokenId, balance - BigInt(input.amountRaw));
    const settlesAtMs = atMs + Math.floor(this.random() ** 3 * hourMs);
    const outcome = this.happens('refunded') ? 'refunded' : this.happens('failed') ? 'failed' : 'settled';
    if (outcome !== 'settled') this.balances.set(input.tokenId, balance);
    const index = Number(key.split('/')[1]);
    const lapses = randomLapses(this.random, this.hostility(), atMs);
    const isGreedy = submission.bytes.endsWith(greedyMark);
    const when = { takenAtMs: atMs, settlesAtMs };
    this.taken.set(key, { submission, index, reference: `ref-${key}`, ...when, outcome, isGreedy, lapses });
  }

  private happens(fault: keyof Hostility): boolean {
    return this.random() < this.hostility()[fault];
  }

  private maybe(instant: Instant): Instant | null {
    return this.random() < 0.5 ? instant : null;
  }

  private mustHave(key: string): Taken {
    const taken = this.taken.get(key);
    if (taken === undefined) throw new Error(`${key} was neither taken nor refused`);
    return taken;
  }
}

const refusal: OperationFailure = { reason: 'provider_rejected', text: words`No.` };

function away(): Unavailable {
  return new Unavailable('wallet provider', { reason: 'provider_unavailable' });
}
