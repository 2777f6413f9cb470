import { Injectable, Logger } from '@nestjs/common';
import { hasReadableLogs } from '@app/runtime';
import { Configuration } from '@app/settings';
import type { ClaimedRun } from '../run/claimed-run';
import type { Execution } from './run-steps';

/** Logs every segment of a run that was executed here, as the request log does for requests. */
@Injectable()
export class RunLog {
  private readonly logger = new Logger(RunLog.name);

  constructor(private readonly configuration: Configuration) {}

  /** @param startedAtMs of `performance.now()` */
  executed(claimed: ClaimedRun, execution: Execution, startedAtMs: number): void {
    if (!this.configuration.env.LOG_REQUESTS) return;
    const { names } = claimed;
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
