import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { becauseOf, notFound, ok, refuse, type Result } from '@app/kernel';
import { ProjectionStates, Rebuilds, type RebuildOutcome, type RebuildPace } from '@app/read-store';

/** Actions of operators on read models. Each can be repeated: a completed one has no further effect. */
export type ReadModelChange =
  | {
      readonly kind: 'rebuild';
      readonly projection: string;
      readonly rebuildId: string;
      readonly pace: RebuildPace;
      readonly reason: string;
    }
  | { readonly kind: 'switch'; readonly rebuildId: string; readonly digest: string | null }
  | { readonly kind: 'rollback' | 'discard'; readonly rebuildId: string }
  | {
      readonly kind: 'skip';
      readonly projection: string;
      readonly stream: string;
      readonly revision: number;
      readonly reason: string;
    };

/** Refuses with `not_found`, `projection_state` and `differences_unseen`. @throws Unavailable */
export class ChangeReadModel extends Command<Result<void>> {
  constructor(readonly change: ReadModelChange) {
    super();
  }
}

@CommandHandler(ChangeReadModel)
export class ChangeReadModelHandler implements ICommandHandler<ChangeReadModel> {
  constructor(
    private readonly rebuilds: Rebuilds,
    private readonly states: ProjectionStates,
  ) {}

  async execute({ change }: ChangeReadModel): Promise<Result<void>> {
    const outcome = await this.make(change);
    if (outcome.kind === 'done') return ok(undefined);
    return refuse(outcome.kind === 'not_found' ? notFound : becauseOf(outcome.reason, outcome.why));
  }

  private make(change: ReadModelChange): Promise<RebuildOutcome> {
    switch (change.kind) {
      case 'rebuild':
        return this.rebuilds.start(change.rebuildId, change.projection, change.reason, change.pace);
      case 'switch':
        return this.rebuilds.switchOver(change.rebuildId, change.digest);
      case 'rollback':
        return this.rebuilds.rollBack(change.rebuildId);
      case 'discard':
        return this.rebuilds.discard(change.rebuildId);
      case 'skip':
        return this.states.skip(change.projection, change, change.reason);
    }
  }
}
