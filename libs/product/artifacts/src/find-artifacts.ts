import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { Cursors, pageOf, PageQuery } from '@app/http';
import { notFound, ok, refuse, type ArtifactId, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { ArtifactRow } from './artifacts.projection';
import { Artifact, ArtifactPage, type ArtifactView } from './artifact.schema';

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

/**
 * A page of a conversation's artifacts, newest first by the position of their upload. An archived conversation stays readable.
 * Refuses with `invalid_cursor`, `not_found`.
 */
export class ListArtifacts extends Query<Result<ArtifactPage>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly page: PageQuery,
  ) {
    super();
  }
}

const listed = selectList(ArtifactRow, [...memberNames(Artifact), 'position']);

@QueryHandler(ListArtifacts)
export class ListArtifactsHandler implements IQueryHandler<ListArtifacts> {
  constructor(
    private readonly states: FoldedStates,
    private readonly database: Database,
    private readonly cursors: Cursors,
  ) {}

  async execute({ userId, conversationId, page: { cursor, limit } }: ListArtifacts): Promise<Result<ArtifactPage>> {
    const binding = { list: 'artifacts.list', userId, filters: { conversationId } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const { state } = await this.states.fresh(conversationKind, conversationId);
    if (state.userId !== userId) return refuse(notFound);
    const [rows, total] = await Promise.all([
      this.rows(conversationId, before.value, limit + 1),
      this.total(conversationId),
    ]);
    const page = pageOf(
      rows,
      limit,
      ({ position: _, ...artifact }) => artifact,
      ({ position }) => this.cursors.mint(binding, [position]),
    );
    return ok({ ...page, total });
  }

  private async rows(conversationId: ConversationId, before: number | null, limit: number) {
    return this.database.query<ArtifactView & Pick<ArtifactRow, 'position'>>(
      `SELECT ${listed} FROM {artifacts}
       WHERE conversation_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`,
      [conversationId, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
  }

  /** The length of the list, from maintained counters. */
  private async total(conversationId: ConversationId): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(
      `SELECT total FROM list_counters WHERE name = '{artifacts}/' || $1`,
      [conversationId],
    );
    return row?.total ?? 0;
  }
}
