import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind, isQueued, type RunState } from '@app/conversations';
import { FoldedStates, Streams } from '@app/event-store';
import { because, Clock, notFound, ok, refuse, unreachable } from '@app/kernel';
import type { Cause, ConversationId, Result, RunId, RunKey, UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { runKeyOf } from './run-binding';
import { RunLeases, stopChannel } from './slots/run-leases';
import { SegmentClosing, segmentEndIn } from './segments/segment-closing';
import type { AbortedRun } from './run.schema';

/** How long an abort waits for the engine to confirm its cleanup (docs/decisions/runs.md). */
const cleanupWaitMs = 20_000;
/** The first and the longest interval of polls for the end, in case this process does not notice it by itself. */
const lookFirstMs = 40;
const lookLastMs = 200;

interface Stopping {
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly runKey: RunKey;
  readonly cause: Cause;
  readonly inAnyCase: boolean;
}

/**
 * Stops the live run, or takes one that waits to start out of the queue, and answers when that is in the journal; `aborted` is true for the one call whose stop ended the run. A run without
 * a worker is left alone, unless it is to be stopped in any case: then the next worker that claims it ends it. Refuses with `not_found`,
 * `run_not_active`, `execution_unavailable`, or `stop_pending` after 20 s. @throws Unavailable
 */
export class AbortRun extends Command<Result<AbortedRun>> {
  constructor(
    readonly userId: UserId,
    readonly runId: RunId,
    readonly cause: Cause,
    readonly inAnyCase = false,
  ) {
    super();
  }
}

@CommandHandler(AbortRun)
export class AbortRunHandler implements ICommandHandler<AbortRun> {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly database: Database,
    private readonly leases: RunLeases,
    private readonly closing: SegmentClosing,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, runId, cause, inAnyCase }: AbortRun): Promise<Result<AbortedRun>> {
    const runKey = runKeyOf(userId, runId);
    const conversationId = await this.conversationOf(runKey);
    if (conversationId === null) return refuse(notFound);
    const { state } = await this.states.fresh(conversationKind, conversationId);
    const run = state.openRuns[runId];
    const stopping = { conversationId, runId, runKey, cause, inAnyCase };
    if (run === undefined) return isQueued(state, runId) ? this.record(stopping) : ok({ aborted: false });
    return this.stop(run, stopping);
  }

  /** The conversation of an admitted run; null if there is no such run, even after the read models have caught up. */
  private async conversationOf(runKey: RunKey): Promise<ConversationId | null> {
    const row = await this.gate.find(async () => {
      const sql = 'SELECT conversation_id AS "conversationId" FROM {runs} WHERE run_key = $1';
      const [found] = await this.database.query<{ conversationId: ConversationId }>(sql, [runKey]);
      return found ?? null;
    });
    return row?.conversationId ?? null;
  }

  private async stop(run: RunState, stopping: Stopping): Promise<Result<AbortedRun>> {
    switch (run.status) {
      case 'queued':
      case 'awaiting_approval':
        return this.record(stopping);
      case 'running':
        return this.stopRunning(stopping);
      case 'stopping':
        return (await this.untilEnded(stopping)) ? ok({ aborted: false }) : refuse(because('stop_pending'));
      default:
        return unreachable(run.status);
    }
  }

  private async stopRunning(stopping: Stopping): Promise<Result<AbortedRun>> {
    if (stopping.inAnyCase) return this.record(stopping);
    const standing = await this.leases.standing(stopping.runKey);
    switch (standing) {
      case 'no worker':
        return refuse(because('execution_unavailable'));
      case 'lost':
        // No worker has claimed it yet: it is being recovered.
        return ok({ aborted: false });
      case 'held':
        return this.record(stopping);
      default:
        return unreachable(standing);
    }
  }

  private async record(stopping: Stopping): Promise<Result<AbortedRun>> {
    const { conversationId, runId, runKey, cause } = stopping;
    const command = { type: 'StopRun', at: this.clock.now(), runId } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    if (!done.ok) {
      // It waits while another run is live, or it ended by itself in between.
      const waits = done.state.openRuns[runId] !== undefined;
      return waits ? refuse(done.refusal) : ok({ aborted: false });
    }
    const end = segmentEndIn(done.value.events);
    if (end !== null) await this.closing.close(end, conversationId, cause);
    if (end !== null || done.value.events.some(({ type }) => type === 'input.withdrawn')) {
      await this.gate.waitForProjection(done.value.position);
      return ok({ aborted: true });
    }
    await this.database.query('SELECT pg_notify($1, $2)', [stopChannel, runKey]);
    if (!(await this.untilEnded(stopping))) return refuse(because('stop_pending'));
    return ok({ aborted: done.value.events.length > 0 });
  }

  /**
   * Waits for the run's end to be in the journal and in the read models; false when that takes too long. Polls if this process does not see
   * the end, rather than subscribing, because a burst of abandoned subscriptions would cost the connection.
   */
  private async untilEnded({ conversationId, runId }: Stopping): Promise<boolean> {
    const giveUpAtMs = performance.now() + cleanupWaitMs;
    for (let withinMs = lookFirstMs; performance.now() < giveUpAtMs; withinMs = Math.min(2 * withinMs, lookLastMs)) {
      const { state, revision } = await this.states.fresh(conversationKind, conversationId);
      if (state.openRuns[runId] === undefined) {
        await this.gate.passedAll();
        return true;
      }
      await this.states.untilNews(conversationKind, conversationId, { after: revision, withinMs });
    }
    return false;
  }
}
