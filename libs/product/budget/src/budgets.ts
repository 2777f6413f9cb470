import { Injectable } from '@nestjs/common';
import { Command, CommandHandler, Query, QueryHandler, type ICommandHandler, type IQueryHandler } from '@nestjs/cqrs';
import { FoldedStates, Streams } from '@app/event-store';
import { because, Clock, ok, refuse, type Cause, type Result, type UserId } from '@app/kernel';
import { Configuration } from '@app/settings';
import { amountCentsMax, type BudgetCommand } from './budget.decider';
import type { Segment } from './budget.events';
import type { BudgetView } from './budget.schema';
import { bookingDay, monthOf, segmentKey, segmentOf, type BudgetState, type Caps } from './budget.state';
import { budgetKind } from './budget.stream';
import { viewBudget } from './budget.view';

/** A segment, the user whose budget it draws on, and the cause of the command. */
export interface SegmentSpend extends Segment {
  readonly userId: UserId;
  readonly cause: Cause;
}

/** An operator's change to a budget, with its reason. */
interface BudgetChange {
  readonly userId: UserId;
  readonly reason: string;
  readonly cause: Cause;
}

/** The amount that a segment holds after the command, in cents; 0 when it is settled. */
export interface Held {
  readonly heldCents: number;
}

/**
 * The spend of users. Every command is keyed by (runKey, segment) and idempotent, and may arrive late, twice or from a
 * fenced worker. No method waits for read models. All methods throw Unavailable when the event store does not answer.
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
   * Makes a segment hold `RUN_RESERVATION_CENTS` (25); one that holds at least that much, or is settled, is unchanged.
   * `checked` (admission) refuses with `budget_exhausted`, not retryable while frozen; a continuation or a claimer
   * reserves unchecked.
   */
  async reserve(spend: SegmentSpend, { checked }: { readonly checked: boolean }): Promise<Result<Held>> {
    return this.hold(spend, this.configuration.env.RUN_RESERVATION_CENTS, checked);
  }

  /**
   * Raises a segment whose `heldCents` do not suffice by the multiple of `RUN_RESERVATION_CENTS` that covers
   * `neededCents`, checked. Refuses with `budget_exhausted`, or with `run_not_active` when the segment is settled
   * already.
   */
  async raise(spend: SegmentSpend, { heldCents }: Held, neededCents = 1): Promise<Result<Held>> {
    const { RUN_RESERVATION_CENTS: partCents } = this.configuration.env;
    const moreCents = Math.max(1, Math.ceil(neededCents / partCents)) * partCents;
    // More than any budget has room for.
    if (heldCents + moreCents > amountCentsMax) return refuse(because('budget_exhausted'));
    const raised = await this.hold(spend, heldCents + moreCents, true);
    return raised.ok && raised.value.heldCents <= heldCents ? refuse(because('run_not_active')) : raised;
  }

  /**
   * Ends a segment that cost `spentCents`, which may be 0 or more than it held. A repeated call, or one for an
   * unreserved segment, does nothing.
   */
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

  /** Releases the amount that a segment holds which was never admitted; it may be reserved again. */
  async release(spend: SegmentSpend): Promise<void> {
    await this.must(spend, { type: 'Release', at: this.clock.now(), ...segmentOf(spend) });
  }

  /** The present budget; `ok` exactly when a checked reservation would pass. */
  async headroom(userId: UserId): Promise<BudgetView> {
    const { state } = await this.states.fresh(budgetKind, userId);
    return viewBudget(state, this.clock.now(), this.configuredCaps, this.configuration.env.RUN_RESERVATION_CENTS);
  }

  /** The UTC day (`2026-03-01`) and month (`2026-03`) of the snapshots that `headroom` returns now. */
  async periods(userId: UserId): Promise<{ readonly day: string; readonly month: string }> {
    const { state } = await this.states.fresh(budgetKind, userId);
    const day = bookingDay(state, this.clock.now());
    return { day, month: monthOf(day) };
  }

  /** Freezes the budget: no checked reservation passes any more, and runs end at their next model step. Idempotent. */
  async freeze({ userId, reason, cause }: BudgetChange): Promise<Result<void>> {
    return this.change(userId, cause, { type: 'Freeze', at: this.clock.now(), reason });
  }

  /** Lifts the freeze: reservations are checked against the caps again. Idempotent. */
  async unfreeze({ userId, reason, cause }: BudgetChange): Promise<Result<void>> {
    return this.change(userId, cause, { type: 'Unfreeze', at: this.clock.now(), reason });
  }

  /** Replaces the configured caps by these for the user. Refuses with `invalid_input`. Idempotent. */
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

  /** For commands that are rejected only if their sender has a defect. */
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

/** The headroom that admission checks, folded from the stream, so that it is never out of date. @throws Unavailable */
export class GetBudget extends Query<BudgetView> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@QueryHandler(GetBudget)
class GetBudgetHandler implements IQueryHandler<GetBudget> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ userId }: GetBudget): Promise<BudgetView> {
    return this.budgets.headroom(userId);
  }
}

/**
 * Freezes a user: no run starts any more and runs end at their next step, whatever the caps. For operators. Idempotent.
 * @throws Unavailable
 */
export class FreezeBudget extends Command<Result<void>> {
  constructor(readonly change: BudgetChange) {
    super();
  }
}

@CommandHandler(FreezeBudget)
class FreezeBudgetHandler implements ICommandHandler<FreezeBudget> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ change }: FreezeBudget): Promise<Result<void>> {
    return this.budgets.freeze(change);
  }
}

/** Lifts the freeze: reservations are checked against the caps again. For operators. Idempotent. @throws Unavailable */
export class UnfreezeBudget extends Command<Result<void>> {
  constructor(readonly change: BudgetChange) {
    super();
  }
}

@CommandHandler(UnfreezeBudget)
class UnfreezeBudgetHandler implements ICommandHandler<UnfreezeBudget> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ change }: UnfreezeBudget): Promise<Result<void>> {
    return this.budgets.unfreeze(change);
  }
}

/** Replaces the configured caps by these for the user. For operators. Idempotent. Refuses with `invalid_input`. @throws Unavailable */
export class SetCaps extends Command<Result<void>> {
  constructor(
    readonly change: BudgetChange,
    readonly caps: Caps,
  ) {
    super();
  }
}

@CommandHandler(SetCaps)
class SetCapsHandler implements ICommandHandler<SetCaps> {
  constructor(private readonly budgets: Budgets) {}

  async execute({ change, caps }: SetCaps): Promise<Result<void>> {
    return this.budgets.setCaps(change, caps);
  }
}

export const budgetHandlers = [GetBudgetHandler, FreezeBudgetHandler, UnfreezeBudgetHandler, SetCapsHandler];
