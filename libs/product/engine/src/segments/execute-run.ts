import { Injectable, Logger } from '@nestjs/common';
import type { BegunSegment, ExecutableSegment } from '@app/runs';
import { hasReadableLogs, Metrics, Tracing } from '@app/runtime';
import { Configuration } from '@app/settings';
import { Counter } from 'prom-client';
import { Models } from '../models/models';
import type { ClaimedRun, OpenRun, Signals } from '../run/claimed-run';
import { RunJournal } from '../run/run-journal';
import { agentSpan } from './agent-span';
import { RunSteps, type Execution } from './run-steps';
import { SegmentAdmission, type Reservation } from './segment-admission';
import { TracedSteps } from '../run/traced-run';

/** Executes segments of runs, step by step: those that began in this process at once, others once they are claimed. */
@Injectable()
export class ExecuteRun {
  private readonly logger = new Logger('RunLog');
  /** Counts segments that are claimed again after a worker began them and did not finish. */
  private readonly recoveries: Counter;

  constructor(
    private readonly journal: RunJournal,
    private readonly admission: SegmentAdmission,
    private readonly steps: RunSteps,
    private readonly tracing: Tracing,
    private readonly models: Models,
    private readonly configuration: Configuration,
    metrics: Metrics,
  ) {
    this.recoveries = new Counter({
      name: 'parley_lease_recoveries_total',
      help: 'Run segments claimed again, after a worker that died, lost its lease or had to let go',
      registers: [metrics.registry],
    });
  }

  /**
   * Claims a segment whose lease this process has, and executes it until it is over, another worker has it, or a signal aborts. Throws
   * Unavailable.
   */
  async claim(segment: ExecutableSegment, signals: Signals): Promise<Execution> {
    const open = await this.journal.findOpen(segment);
    if (open === 'over') return { kind: 'over', end: null };
    if (open === 'unknown') return { kind: 'left' };
    return this.traced(segment, open, async () => {
      const reservation = await this.admission.admit(open);
      const claimed = await this.journal.claim(open);
      if (claimed === null) return { kind: 'over', end: null };
      if (open.begun) this.recoveries.inc();
      return this.takeSteps(claimed, reservation, signals);
    });
  }

  /**
   * Executes a segment that began in this process, as `claim` does, but without a claim, because its begin names this process. Throws
   * Unavailable.
   */
  async goOn(segment: BegunSegment, signals: Signals): Promise<Execution> {
    const { cause, heldCents, run } = segment;
    return this.traced(segment, { cause, resolved: run.resolved }, async () =>
      this.takeSteps(await this.journal.begun(segment), { heldCents }, signals),
    );
  }

  /** Executes in a span of its own, which fails if the run ends as failed. */
  private async traced(
    segment: ExecutableSegment,
    { cause, resolved }: Pick<OpenRun, 'cause' | 'resolved'>,
    execute: () => Promise<Execution>,
  ): Promise<Execution> {
    if (!this.tracing.on) return execute();
    const { name, start } = agentSpan(segment, cause, resolved, this.models.servedOf(resolved.model));
    return this.tracing.span(name, start, async (span) => {
      const execution = await execute();
      span?.set({ 'parley.outcome': outcomeOf(execution) });
      if (execution.kind === 'over' && execution.end?.type === 'run.ended' && execution.end.failure !== null)
        span?.fail(execution.end.failure.reason);
      return execution;
    });
  }

  /** Takes the steps of a run that this process holds, starting where its journal ends. */
  private async takeSteps(claimed: ClaimedRun, reservation: Reservation, signals: Signals): Promise<Execution> {
    const startedAtMs = performance.now();
    const execution = await this.journal.whileWhole(claimed.run, signals, (either) =>
      this.untilOver(claimed, reservation, either),
    );
    this.log(claimed, execution, startedAtMs);
    return execution;
  }

  private async untilOver(claimed: ClaimedRun, reservation: Reservation, signals: Signals): Promise<Execution> {
    const spans = new TracedSteps(this.tracing, claimed);
    try {
      for (;;) {
        if (signals.shutdown.aborted) return { kind: 'left' };
        if (signals.stop.aborted) claimed.markStopping();
        const action = this.steps.next(claimed);
        const execution = await spans.within(action, () => this.steps.perform(claimed, action, reservation, signals));
        if (execution !== null) return execution;
      }
    } finally {
      spans.end();
    }
  }

  /** Logs every segment that was executed here, as the request log does for requests. @param startedAtMs of `performance.now()` */
  private log({ names }: ClaimedRun, execution: Execution, startedAtMs: number): void {
    if (!this.configuration.env.LOG_REQUESTS) return;
    const outcome = outcomeOf(execution);
    const ms = Math.round((performance.now() - startedAtMs) * 10) / 10;
    if (hasReadableLogs(this.configuration)) {
      const { runId, requestId, userId } = names;
      this.logger.log(`run ${runId} ${outcome} ${ms} ms  request ${requestId}  user ${userId}`);
    } else this.logger.log({ msg: 'a run segment was executed', ...names, outcome, ms });
  }
}

/** The outcome of the segment here; `fenced` and `left`: another process continues it. */
function outcomeOf(execution: Execution): string {
  if (execution.kind !== 'over') return execution.kind;
  if (execution.end === null) return 'over before';
  return execution.end.type === 'run.suspended' ? 'awaiting_approval' : execution.end.status;
}
