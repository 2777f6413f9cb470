import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { notFound, ok, refuse, type ArtifactId, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { ArtifactRow } from './artifacts.projection';
import { Artifact, type ArtifactView } from './artifact.schema';

/** An artifact of a conversation, without its bytes; an archived conversation stays readable. Refuses with `not_found`. */
export class GetArtifact extends Query<Result<ArtifactView>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly artifactId: ArtifactId,
  ) {
    super();
  }
}

const members = selectList(ArtifactRow, memberNames(Artifact));

@QueryHandler(GetArtifact)
export class GetArtifactHandler implements IQueryHandler<GetArtifact> {
  constructor(
    private readonly states: FoldedStates,
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  async execute({ userId, conversationId, artifactId }: GetArtifact): Promise<Result<ArtifactView>> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    if (state.userId !== userId) return refuse(notFound);
    const artifact = await this.gate.find(async () => {
      const [row] = await this.database.query<ArtifactView>(
        `SELECT ${members} FROM {artifacts} WHERE id = $1 AND conversation_id = $2`,
        [artifactId, conversationId],
      );
      return row ?? null;
    });
    return artifact === null ? refuse(notFound) : ok(artifact);
  }
}
