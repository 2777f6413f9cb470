import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { ok, type ConversationId, type Result, type RunId } from '@app/kernel';
import { RunLeases } from './slots/run-leases';

/** A run in the hands of one particular holder. */
interface HeldRun {
  readonly conversationId: ConversationId;
  readonly runId: RunId;
  readonly segment: number;
  readonly attempt: number;
}

/**
 * Takes a run from its worker, whichever that is, so that the next claim continues it. For operators. Does nothing if another worker has
 * claimed it since, or it is over. @throws Unavailable
 */
export class ReleaseRun extends Command<Result<void>> {
  constructor(readonly held: HeldRun) {
    super();
  }
}

@CommandHandler(ReleaseRun)
export class ReleaseRunHandler implements ICommandHandler<ReleaseRun> {
  constructor(
    private readonly states: FoldedStates,
    private readonly leases: RunLeases,
  ) {}

  async execute({ held: { conversationId, runId, segment, attempt } }: ReleaseRun): Promise<Result<void>> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    const run = state.openRuns[runId];
    if (run?.segment === segment && run.attempt === attempt) await this.leases.takeAway(run);
    return ok(undefined);
  }
}
