import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Budgets } from '@app/budget';
import { conversationKind, isKnownRun, isWritable, type ConversationState, type RunRequest } from '@app/conversations';
import { DeploymentControls } from '@app/deployment';
import { FoldedStates, Transact, Turns } from '@app/event-store';
import { validateInto } from '@app/http';
import {
  asId,
  because,
  Clock,
  invalid,
  isJsonObject,
  notFound,
  ok,
  parseUuid,
  refuse,
  type Cause,
  type ConversationId,
  type MessageId,
  type Refusal,
  type Result,
  type RunId,
  type RunKey,
  type UserId,
} from '@app/kernel';
import { Processes, ReadGate } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { ExecutionSlots } from './execution-slots';
import { runBindingKind, runKeyOf } from './run-binding';
import { EngineOffer, resolveProfile } from './run-profile';
import { StartRunDto } from './runs.dto';
import { RunQueries } from './runs.queries';
import type { RunStatus } from './run.row';

/** Starts of one conversation that may wait for each other in this process. */
const waitingStartsMax = 1_000;
/** A refusal by the budget waits at most this long for reservations of starts that never come to be. */
const secondLookMs = 250;
const secondLookEveryMs = 50;

/** 202 of `runs.start`. */
export interface StartedRun {
  readonly runId: RunId;
  readonly conversationId: ConversationId;
  readonly status: RunStatus;
  /** `seq` of its `run.started`. */
  readonly seq: number;
}

interface Admission {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly request: RunRequest;
  readonly cause: Cause;
}

/**
 * `runs.start` (decisions.md, section 3): replay, then validation, then the admission, in the documented order of refusals.
 * The admission is a list of idempotent steps keyed by the run: bind, reserve, take a slot, append `run.started`;
 * a later refusal undoes the earlier steps, and watchdogs undo what a crash left.
 */
@Injectable()
export class StartRun {
  // Starts of one conversation queue up here, so that of many at once the first gets its chance.
  private readonly conversations = new Turns(waitingStartsMax);

  constructor(
    private readonly commands: CommandBus,
    private readonly states: FoldedStates,
    private readonly queries: RunQueries,
    private readonly gate: ReadGate,
    private readonly clock: Clock,
    private readonly budgets: Budgets,
    private readonly slots: ExecutionSlots,
    private readonly processes: Processes,
    private readonly controls: DeploymentControls,
    private readonly offer: EngineOffer,
  ) {}

  /** @param body the request's JSON body, not validated yet: a replay is answered whatever the rest of it says */
  async start(userId: UserId, body: unknown, cause: Cause): Promise<Result<StartedRun>> {
    const { conversationId, runId } = idsIn(body);
    if (conversationId === null || runId === 'malformed') return refuse(notAsSpecified(body));
    return this.conversations.take(conversationId, async () => {
      const replay = runId === null ? null : await this.replay(userId, runId, conversationId);
      if (replay !== null) return replay;
      const { state } = await this.states.current(conversationKind, conversationId);
      if (!isWritable(state, userId)) return refuse(notFound);
      const validated = validateInto(StartRunDto, body);
      if (!validated.ok) return validated;
      const request = this.requestOf(validated.value, state);
      if (!request.ok) return request;
      const id = runId ?? asId<RunId>(uuidV7());
      const run = { userId, conversationId, runId: id, runKey: runKeyOf(userId, id), request: request.value, cause };
      return this.admit(run, { chosenId: runId !== null });
    });
  }

  private requestOf({ input, profile }: StartRunDto, { artifacts }: ConversationState): Result<RunRequest> {
    const resolved = resolveProfile(profile, this.offer);
    if (!resolved.ok) return resolved;
    const { text, artifactIds = [] } = input;
    const unknown = artifactIds.findIndex((id) => !artifacts.some(({ artifactId }) => artifactId === id));
    if (unknown >= 0) {
      return refuse(invalid(`/input/artifactIds/${unknown}`, 'is not an artifact of this conversation'));
    }
    return ok({ input: { text, artifactIds }, profile: resolved.value });
  }

  /** The recorded run of that id, or null when there is none to repeat. */
  private async replay(
    userId: UserId,
    runId: RunId,
    conversationId: ConversationId,
  ): Promise<Result<StartedRun> | null> {
    const runKey = runKeyOf(userId, runId);
    const { state: binding } = await this.states.current(runBindingKind, runKey);
    if (binding.conversationId === null) return null;
    if (binding.conversationId !== conversationId) {
      return refuse(invalid('/runId', 'belongs to another conversation'));
    }
    const { state } = await this.states.current(conversationKind, conversationId);
    return this.recorded(state, { userId, conversationId, runId, runKey });
  }

  private async recorded(
    state: ConversationState,
    { conversationId, runId, runKey }: Pick<Admission, 'userId' | 'conversationId' | 'runId' | 'runKey'>,
  ): Promise<Result<StartedRun> | null> {
    const open = state.openRuns[runId];
    if (open !== undefined) return ok({ runId, conversationId, status: open.status, seq: open.startedSeq });
    // The state remembers the newest ended runs only; the read model knows all of them.
    const row = await this.queries.find(runKey);
    if (row !== null) return ok({ runId, conversationId, status: row.status, seq: row.startedSeq });
    // Whether it ever ran cannot be told while the read model is behind.
    return isKnownRun(state, runId) || !this.gate.projecting ? refuse(because('execution_unavailable')) : null;
  }

  /** @param chosenId whether the client named the run: then even a refused attempt binds the id to the conversation */
  private async admit(run: Admission, { chosenId }: { readonly chosenId: boolean }): Promise<Result<StartedRun>> {
    if (chosenId && !(await this.bind(run))) return refuse(invalid('/runId', 'belongs to another conversation'));
    const refusal = await this.refusedAtOnce(run);
    if (refusal !== null) return refuse(refusal);
    if (!chosenId) await this.bind(run);

    const reserved = await this.reserve(run);
    if (!reserved.ok) return refuse(await this.afterSecondLook(run, reserved.refusal));
    if (await this.takeSlot(run)) return this.append(run);
    await this.giveBack(run);
    return refuse(await this.afterSecondLook(run, because('execution_capacity')));
  }

  /** When the store of slots does not answer, the user's headroom is not held until a watchdog looks. */
  private async takeSlot(run: Admission): Promise<boolean> {
    try {
      return await this.slots.take(run.runKey, 1);
    } catch (error) {
      await this.giveBack(run);
      throw error;
    }
  }

  /** Whether the run's id now belongs to its conversation, for ever. */
  private async bind({ userId, runId, runKey, conversationId, cause }: Admission): Promise<boolean> {
    const command = { at: this.clock.now(), userId, runId, conversationId };
    const bound = await this.commands.execute(new Transact(runBindingKind, runKey, command, cause));
    return bound.state.conversationId === conversationId;
  }

  /** The refusals that take nothing to find out. */
  private async refusedAtOnce({ conversationId, runId }: Admission): Promise<Refusal | null> {
    if (await this.controls.paused('runs')) return because('deployment_paused');
    const { state } = await this.states.current(conversationKind, conversationId);
    if (state.liveRunId !== null && state.liveRunId !== runId) return because('run_active');
    return (await this.processes.workerAlive()) ? null : because('execution_unavailable');
  }

  private async append(run: Admission): Promise<Result<StartedRun>> {
    const { conversationId, runId, runKey, userId, request, cause } = run;
    const command = {
      type: 'StartRun',
      at: this.clock.now(),
      runId,
      runKey,
      userId,
      messageId: asId<MessageId>(uuidV7()),
      origin: 'user',
      automationId: null,
      occurrenceId: null,
      request,
    } as const;
    const started = await this.commands.execute(new Transact(conversationKind, conversationId, command, cause));
    if (!started.accepted) {
      await this.slots.release(runKey, 1);
      await this.giveBack(run);
      return refuse(started.refusal);
    }
    await this.gate.passed(started.position);
    const recorded = await this.recorded(started.state, run);
    if (recorded === null) throw new Error(`run ${runKey} was admitted and is not there`);
    return recorded;
  }

  /** Reserves for the first segment; waits a little where only reservations of starts that came to nothing stand in the way. */
  private async reserve({ userId, runId, runKey, cause, conversationId }: Admission): Promise<Result<unknown>> {
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

  private async giveBack({ userId, runId, runKey, cause }: Admission): Promise<void> {
    await this.budgets.release({ userId, runId, runKey, segment: 1, cause });
  }

  /** A run that went live meanwhile is the better reason: the other start holds what was missing here. */
  private async afterSecondLook({ conversationId }: Admission, refusal: Refusal): Promise<Refusal> {
    const { state } = await this.states.current(conversationKind, conversationId);
    return state.liveRunId === null ? refusal : because('run_active');
  }
}

/** The ids that decide on a replay, before anything else of the body counts. */
function idsIn(body: unknown): { conversationId: ConversationId | null; runId: RunId | null | 'malformed' } {
  if (!isJsonObject(body)) return { conversationId: null, runId: null };
  const runId = parseUuid<RunId>(body['runId']);
  return {
    conversationId: parseUuid<ConversationId>(body['conversationId']),
    runId: runId === null && body['runId'] !== undefined ? 'malformed' : runId,
  };
}

/** All that is wrong with a body whose ids cannot be read. */
function notAsSpecified(body: unknown): Refusal {
  const validated = validateInto(StartRunDto, body);
  return validated.ok ? invalid('', 'must be an object') : validated.refusal;
}
