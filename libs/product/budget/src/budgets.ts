import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { Configuration } from '@app/runtime';
import { amountCentsMax, type BudgetCommand } from './budget.decider';
import type { Segment } from './budget.events';
import { bookingDay, monthOf, segmentKey, type BudgetState, type Caps } from './budget.state';
import { budgetKind } from './budget.stream';
import { viewBudget, type BudgetView } from './budget.view';

/** A segment, whose budget it draws on, and why the command is given. */
export interface SegmentSpend extends Segment {
  readonly userId: UserId;
  readonly cause: Cause;
}

/** Why an operator changes a budget. */
export interface BudgetChange {
  readonly userId: UserId;
  readonly reason: string;
  readonly cause: Cause;
}

/** What a segment holds after the command, in cents; 0 when it is settled. */
export interface Held {
  readonly heldCents: number;
}

/**
 * The spend of users. Every command is keyed by (runKey, segment) and idempotent, and may come late, twice or from a fenced worker.
 * No method waits for read models. All throw Unavailable when the event store is away.
 */
@Injectable()
export class Budgets {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
  ) {}

  /**
   * Makes a segment hold `RUN_RESERVATION_CENTS` (25); one that holds that much or more, or is settled, is left as it is.
   * `checked` (admission) refuses with `budget_exhausted`, not retryable while frozen; a continuation or a claimer reserves unchecked.
   */
  async reserve(spend: SegmentSpend, { checked }: { readonly checked: boolean }): Promise<Result<Held>> {
    return this.hold(spend, this.configuration.env.RUN_RESERVATION_CENTS, checked);
  }

  /**
   * Makes a segment whose `heldCents` are not enough hold `RUN_RESERVATION_CENTS` more, checked, as many times as `neededCents` takes.
   * Refuses with `budget_exhausted`, or with `run_not_active` when the segment is settled already.
   */
  async raise(spend: SegmentSpend, { heldCents }: Held, neededCents = 1): Promise<Result<Held>> {
    const { RUN_RESERVATION_CENTS: partCents } = this.configuration.env;
    const moreCents = Math.max(1, Math.ceil(neededCents / partCents)) * partCents;
    // More than any budget has room for.
    if (heldCents + moreCents > amountCentsMax) return refuse(because('budget_exhausted'));
    const raised = await this.hold(spend, heldCents + moreCents, true);
    return raised.ok && raised.value.heldCents <= heldCents ? refuse(because('run_not_active')) : raised;
  }

  /** The segment is over and cost `spentCents`, which may be 0 or more than it held. Again, or unreserved: nothing happens. */
  async settle(spend: SegmentSpend, { spentCents }: { readonly spentCents: number }): Promise<void> {
    await this.must(spend, {
      type: 'Settle',
      at: this.clock.now(),
      ...segmentOf(spend),
      spentCents,
      configuredCaps: this.configuredCaps,
      reservationCents: this.configuration.env.RUN_RESERVATION_CENTS,
    });
  }

  /** Releases what a segment holds that was never admitted; it may be reserved again. */
  async release(spend: SegmentSpend): Promise<void> {
    await this.must(spend, { type: 'Release', at: this.clock.now(), ...segmentOf(spend) });
  }

  /** The budget as of now; `ok` exactly when a checked reservation would pass. */
  async headroom(userId: UserId): Promise<BudgetView> {
    const { state } = await this.states.current(budgetKind, userId);
    return viewBudget(state, this.clock.now(), this.configuredCaps, this.configuration.env.RUN_RESERVATION_CENTS);
  }

  /** The UTC day (`2026-03-01`) and month (`2026-03`) that `headroom` has its snapshots of now. */
  async periods(userId: UserId): Promise<{ readonly day: string; readonly month: string }> {
    const { state } = await this.states.current(budgetKind, userId);
    const day = bookingDay(state, this.clock.now());
    return { day, month: monthOf(day) };
  }

  /** No checked reservation passes from now on, and runs end at their next model step. Idempotent. */
  async freeze({ userId, reason, cause }: BudgetChange): Promise<Result<void>> {
    return this.change(userId, cause, { type: 'Freeze', at: this.clock.now(), reason });
  }

  /** Idempotent. */
  async unfreeze({ userId, reason, cause }: BudgetChange): Promise<Result<void>> {
    return this.change(userId, cause, { type: 'Unfreeze', at: this.clock.now(), reason });
  }

  /** From now on these caps count for the user instead of the configured ones. Refuses with `invalid_input`. */
  async setCaps({ userId, reason, cause }: BudgetChange, { dayCents, monthCents }: Caps): Promise<Result<void>> {
    return this.change(userId, cause, { type: 'SetCaps', at: this.clock.now(), dayCents, monthCents, reason });
  }

  private async hold(spend: SegmentSpend, amountCents: number, checked: boolean): Promise<Result<Held>> {
    const done = await this.decide(spend.userId, spend.cause, {
      type: 'Reserve',
      at: this.clock.now(),
      ...segmentOf(spend),
      amountCents,
      checked,
      configuredCaps: this.configuredCaps,
    });
    return done.ok ? ok({ heldCents: heldBy(done.value.state, spend) }) : refuse(done.refusal);
  }

  /** For commands that are refused only when their sender is broken. */
  private async must(spend: SegmentSpend, command: BudgetCommand): Promise<void> {
    const done = await this.decide(spend.userId, spend.cause, command);
    if (!done.ok) throw new Error(`${command.type} was refused: ${JSON.stringify(done.refusal)}`);
  }

  private async change(userId: UserId, cause: Cause, command: BudgetCommand): Promise<Result<void>> {
    const done = await this.decide(userId, cause, command);
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }

  private async decide(userId: UserId, cause: Cause, command: BudgetCommand) {
    return this.streams.decide(budgetKind, userId, command, cause);
  }

  private get configuredCaps(): Caps {
    const { BUDGET_DAY_CENTS: dayCents, BUDGET_MONTH_CENTS: monthCents } = this.configuration.env;
    return { dayCents, monthCents };
  }
}

function heldBy(state: BudgetState, segment: Segment): number {
  return state.open[segmentKey(segment)]?.amountCents ?? 0;
}

function segmentOf({ runKey, runId, segment }: Segment): Segment {
  return { runKey, runId, segment };
}
