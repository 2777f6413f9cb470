import { Injectable } from '@nestjs/common';
import { Budgets } from '@app/budget';
import { conversationKind, isHeldAgainst, isKnownRun } from '@app/conversations';
import type { ConversationCommand, ConversationState, RunOrigin } from '@app/conversations';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, Streams, type FirstRead } from '@app/event-store';
import { because, DamagedStream, Clock, invalid, ok, refuse } from '@app/kernel';
import type { Cause, ConversationId, Instant, ProcessId, Refusal, Result, RunId, RunKey, UserId } from '@app/kernel';
import { Processes } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { runBindingKind } from './run-binding';
import { SegmentStart, type NewSegment, type Provision } from './segments/segment-start';

/** How long a refusal by the budget is delayed, because reservations of failing starts may be released. */
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

export interface AdmissionOptions {
  /** Whether the caller chose the run's id: then even a refused attempt binds the id to the conversation. */
  readonly chosenId: boolean;
  /** Whether the conversation most likely begins with the run: it is then not read before the first attempt. */
  readonly newConversation?: boolean;
  /** Where absent, its user starts it. */
  readonly origin?: RunOrigin;
  /** Whether a refusal by the budget is answered at once, since the caller tries again. */
  readonly hurried?: boolean;
}

type Beginning = Parameters<typeof isHeldAgainst>[1];

export interface Admitted {
  /** The conversation's state, including the run. */
  readonly state: ConversationState;
  /** Null when the run was admitted before. */
  readonly position: number | null;
}

/**
 * The admission of a run, by a user or by an automation: a list of idempotent steps keyed by the run (bind if the caller chose its id,
 * reserve and take a slot in parallel, append); a later refusal undoes the earlier steps, and watchdogs undo what a crash left
 * (docs/decisions/runs.md). If the process has room, it executes the run from then on.
 */
@Injectable()
export class RunAdmission {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
    private readonly budgets: Budgets,
    private readonly starts: SegmentStart,
    private readonly processes: Processes,
    private readonly controls: DeploymentControls,
  ) {}

  /**
   * Admits the run with the command that starts it in its conversation. A repeated call answers the same and changes nothing. Refused in
   * the documented order: `deployment_paused`, `run_active`, `execution_unavailable`, `budget_exhausted`, `execution_capacity`; then the
   * refusals of the conversation. @throws Unavailable
   *
   * @param begin returns the command, for the instant and the process that executes the run from here on (null: the one that claims it)
   */
  async admit(
    run: NewRun,
    begin: (at: Instant, holder: ProcessId | null) => ConversationCommand,
    { chosenId, newConversation = false, origin = 'user', hurried = false }: AdmissionOptions,
  ): Promise<Result<Admitted>> {
    if (chosenId && !(await this.bind(run))) return refuse(invalid('/runId', 'belongs to another conversation'));
    // A run in the cached state is certainly known; whether another one is live needs a fresh read.
    const recalled = newConversation
      ? (this.states.peek(conversationKind, run.conversationId)?.state ?? conversationKind.decider.initialState)
      : (await this.states.cached(conversationKind, run.conversationId)).state;
    if (isKnownRun(recalled, run.runId)) return ok({ state: recalled, position: null });
    const beginning = { runId: run.runId, origin };
    const refusal = await this.refusedAtOnce(run, beginning, recalled);
    if (refusal !== null) return refuse(refusal);

    const segment = { ...run, segment: 1 };
    const provision = await this.starts.provide(segment, () => this.reserve(run, hurried ? 0 : secondLookMs));
    const missing = missingIn(provision);
    if (missing === null) return this.append(run, begin, provision, recalled.userId === null ? 'assume-new' : 'cached');
    await this.starts.giveBack(segment, provision);
    return refuse(await this.afterSecondLook(run, beginning, missing));
  }

  /** Whether the run's id is now bound to its conversation; a binding never changes. */
  async bind({ userId, runId, runKey, conversationId, cause }: NewRun): Promise<boolean> {
    const command = { at: this.clock.now(), userId, runId, conversationId };
    const bound = await this.streams.decide(runBindingKind, runKey, command, cause, { read: 'assume-new' });
    const { state } = bound.ok ? bound.value : bound;
    return state.conversationId === conversationId;
  }

  /** The refusals that cost nothing to determine. */
  private async refusedAtOnce(
    { conversationId }: NewRun,
    beginning: Beginning,
    recalled: ConversationState,
  ): Promise<Refusal | null> {
    if (await this.controls.isPaused('runs')) return because('deployment_paused');
    if (isHeldAgainst(recalled, beginning)) {
      const { state } = await this.states.fresh(conversationKind, conversationId);
      if (isHeldAgainst(state, beginning)) return because('run_active');
    }
    return (await this.processes.workerAlive()) ? null : because('execution_unavailable');
  }

  /** Reserves for the first segment; waits a little if only reservations of failed starts prevent it. */
  private async reserve(
    { userId, runId, runKey, cause, conversationId }: NewRun,
    withinMs: number,
  ): Promise<NonNullable<Provision['reserved']>> {
    const giveUpAtMs = performance.now() + withinMs;
    for (;;) {
      const reserved = await this.budgets.reserve({ userId, runId, runKey, segment: 1, cause }, { checked: true });
      if (reserved.ok || performance.now() >= giveUpAtMs) return reserved;
      const { snapshots, frozen } = await this.budgets.headroom(userId);
      if (frozen || snapshots.every(({ reservedCents }) => reservedCents === 0)) return reserved;
      const { state } = await this.states.fresh(conversationKind, conversationId);
      if (state.liveRunId !== null) return reserved;
      await sleep(secondLookEveryMs);
    }
  }

  private async append(
    run: NewRun,
    begin: (at: Instant, holder: ProcessId | null) => ConversationCommand,
    provision: Provision,
    read: FirstRead,
  ): Promise<Result<Admitted>> {
    const segment = { ...run, segment: 1 };
    const command = begin(this.clock.now(), provision.holder);
    const begun = await this.startIn(segment, command, provision, read);
    if (begun.ok) {
      // It may have ended, or have been withdrawn, before.
      if (begun.value.state.openRuns[run.runId] === undefined) await this.starts.giveBack(segment, provision);
      else await this.starts.begun(segment, provision, begun.value);
      return ok({ state: begun.value.state, position: begun.value.position });
    }
    await this.starts.giveBack(segment, provision);
    return refuse(begun.refusal);
  }

  private async startIn(segment: NewSegment, command: ConversationCommand, provision: Provision, read: FirstRead) {
    try {
      const { conversationId, cause } = segment;
      return await this.streams.decide(conversationKind, conversationId, command, cause, { read });
    } catch (error) {
      // A damaged stream has begun nothing; after any other failure that is unknown.
      if (error instanceof DamagedStream) await this.starts.giveBack(segment, provision);
      else this.starts.uncertain(provision);
      throw error;
    }
  }

  /** A run that became live meanwhile is the better reason: the other start holds what was missing here. */
  private async afterSecondLook({ conversationId }: NewRun, beginning: Beginning, refusal: Refusal): Promise<Refusal> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    return isHeldAgainst(state, beginning) ? because('run_active') : refusal;
  }
}

/** The refusal for what is missing, in the documented order. */
function missingIn({ reserved, slot }: Provision): Refusal | null {
  if (reserved?.ok === false) return reserved.refusal;
  return slot === 'none' ? because('execution_capacity') : null;
}
