import { Command, CommandBus, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind, isQueued } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import type { Operator } from '@app/http';
import { because, notFound, refuse, type Result, type RunKey } from '@app/kernel';
import { MakeChange } from '../changes/make-change';
import { OperatedRuns } from './operated-runs';
import type { MadeChange } from '../changes/operators.schema';

/**
 * Aborts a run, or takes it from its worker. Refuses with `not_found`, with `run_not_active` when it is over (or, for a
 * release, waits for approval), and as `AbortRun` does.
 */
export class ChangeRun extends Command<Result<MadeChange>> {
  constructor(
    readonly operator: Operator,
    readonly runKey: RunKey,
    readonly change: { readonly operation: 'runs.abort' | 'runs.release'; readonly reason: string },
  ) {
    super();
  }
}

@CommandHandler(ChangeRun)
export class ChangeRunHandler implements ICommandHandler<ChangeRun> {
  constructor(
    private readonly commands: CommandBus,
    private readonly states: FoldedStates,
    private readonly runs: OperatedRuns,
  ) {}

  async execute({ operator, runKey, change }: ChangeRun): Promise<Result<MadeChange>> {
    const found = await this.runs.find(runKey);
    if (found === null) return refuse(notFound);
    const { userId, runId, conversationId } = found;
    const { state } = await this.states.fresh(conversationKind, conversationId);
    const run = state.openRuns[runId];
    const isRelease = change.operation === 'runs.release';
    const isHeld = run !== undefined && run.status !== 'awaiting_approval';
    const isOver = run === undefined && !isQueued(state, runId);
    if (isOver || (isRelease && !isHeld)) return refuse(because('run_not_active'));
    // Whenever a release is completed, it takes the run from its present holder and from no later one.
    const parameters = {
      userId,
      runId,
      ...(isRelease && isHeld && { conversationId, segment: run.segment, attempt: run.attempt }),
    };
    return this.commands.execute(new MakeChange(operator, { ...change, target: runKey, parameters }));
  }
}
