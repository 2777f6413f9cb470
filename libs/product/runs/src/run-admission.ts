import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { conversationKind, isKnownRun, type ConversationCommand, type ConversationState } from '@app/conversations';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, Streams } from '@app/event-store';
import {
  because,
  Clock,
  invalid,
  ok,
  refuse,
  type Cause,
  type ConversationId,
  type Instant,
  type Refusal,
  type Result,
  type RunId,
  type RunKey,
  type UserId,
} from '@app/kernel';
import { Processes } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { ExecutionSlots } from './execution-slots';
import { runBindingKind } from './run-binding';

/** A refusal by the budget waits at most this long for reservations of starts that fail. */
const secondLookMs = 250;
const secondLookEveryMs = 50;

/** A run that is to be admitted. */
export interface NewRun {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly cause: Cause;
}

export interface Admitted {
  /** The conversation's state, with the run in it. */
  readonly state: ConversationState;
  /** Null when the run was admitted before. */
  readonly position: number | null;
}

/**
 * The admission of a run, by a user or by an automation: a list of idempotent steps keyed by the run (bind, reserve, take a slot,
 * append); a later refusal undoes the earlier steps, and watchdogs undo what a crash left (docs/decisions/runs.md).
 */
@Injectable()
export class RunAdmission {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly processes: Processes,
    private readonly controls: DeploymentControls,
  ) {}

  /**
   * Admits the run with the command that starts it in its conversation. Again, it answers the same and changes nothing.
   * Refused in the documented order: `deployment_paused`, `run_active`, `execution_unavailable`, `budget_exhausted`,
   * `execution_capacity`; then what the conversation refuses. @throws Unavailable
   *
   * @param chosenId whether somebody else named the run: then even a refused attempt binds the id to the conversation
   */
  async admit(
    run: NewRun,
    begin: (at: Instant) => ConversationCommand,
    { chosenId }: { readonly chosenId: boolean },
  ): Promise<Result<Admitted>> {
    if (chosenId && !(await this.bind(run))) return refuse(invalid('/runId', 'belongs to another conversation'));
    const { state } = await this.states.current(conversationKind, run.conversationId);
    if (isKnownRun(state, run.runId)) return ok({ state, position: null });
    const refusal = await this.refusedAtOnce(run, state);
    if (refusal !== null) return refuse(refusal);
    if (!chosenId) await this.bind(run);

    const reserved = await this.reserve(run);
    if (!reserved.ok) return refuse(await this.afterSecondLook(run, reserved.refusal));
    if (await this.acquireSlot(run)) return this.append(run, begin);
    await this.giveBack(run);
    return refuse(await this.afterSecondLook(run, because('execution_capacity')));
  }

  /** Whether the run's id is now bound to its conversation; a binding never changes. */
  private async bind({ userId, runId, runKey, conversationId, cause }: NewRun): Promise<boolean> {
    const command = { at: this.clock.now(), userId, runId, conversationId };
    const bound = await this.streams.decide(runBindingKind, runKey, command, cause);
    const { state } = bound.ok ? bound.value : bound;
    return state.conversationId === conversationId;
  }

  /** The refusals that take nothing to find out. */
  private async refusedAtOnce({ runId }: NewRun, { liveRunId }: ConversationState): Promise<Refusal | null> {
    if (await this.controls.isPaused('runs')) return because('deployment_paused');
    if (liveRunId !== null && liveRunId !== runId) return because('run_active');
    return (await this.processes.workerAlive()) ? null : because('execution_unavailable');
  }

  /** Reserves for the first segment; waits a little where only reservations of starts that came to nothing stand in the way. */
  private async reserve({ userId, runId, runKey, cause, conversationId }: NewRun): Promise<Result<unknown>> {
    const giveUpAtMs = performance.now() + secondLookMs;
    for (;;) {
      const reserved = await this.budgets.reserve({ userId, runId, runKey, segment: 1, cause }, { checked: true });
      if (reserved.ok || performance.now() >= giveUpAtMs) return reserved;
      const { snapshots, frozen } = await this.budgets.headroom(userId);
      if (frozen || snapshots.every(({ reservedCents }) => reservedCents === 0)) return reserved;
      const { state } = await this.states.current(conversationKind, conversationId);
      if (state.liveRunId !== null) return reserved;
      await sleep(secondLookEveryMs);
    }
  }

  /** When the store of slots does not answer, the user's headroom is not held until a watchdog looks. */
  private async acquireSlot(run: NewRun): Promise<boolean> {
    try {
      return await this.slots.acquire({ ...run, segment: 1 });
    } catch (error) {
      await this.giveBack(run);
      throw error;
    }
  }

  private async append(run: NewRun, begin: (at: Instant) => ConversationCommand): Promise<Result<Admitted>> {
    const command = begin(this.clock.now());
    const begun = await this.streams.decide(conversationKind, run.conversationId, command, run.cause);
    if (begun.ok) return ok({ state: begun.value.state, position: begun.value.position });
    await this.slots.release({ ...run, segment: 1 });
    await this.giveBack(run);
    return refuse(begun.refusal);
  }

  private async giveBack({ userId, runId, runKey, cause }: NewRun): Promise<void> {
    await this.budgets.release({ userId, runId, runKey, segment: 1, cause });
  }

  /** A run that went live meanwhile is the better reason: the other start holds what was missing here. */
  private async afterSecondLook({ conversationId }: NewRun, refusal: Refusal): Promise<Refusal> {
    const { state } = await this.states.current(conversationKind, conversationId);
    return state.liveRunId === null ? refusal : because('run_active');
  }
}
