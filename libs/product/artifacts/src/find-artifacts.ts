import { Injectable } from '@nestjs/common';
import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { Cursors, pageOf, PageQuery } from '@app/http';
import { notFound, ok, refuse, type ArtifactId, type ConversationId, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { KeyRing, openMembers } from '@app/sealing';
import { ArtifactRow } from './artifacts.projection';
import { Artifact, ArtifactPage, personalMembers, withContent } from './artifact.schema';
import type { ArtifactFile, ArtifactView, PersonalMember } from './artifact.schema';

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

/** An artifact with its words as they are stored. */
type Found = Omit<ArtifactView, PersonalMember> & Pick<ArtifactRow, PersonalMember>;

/** Single artifacts, for their owners. */
@Injectable()
export class FoundArtifacts {
  constructor(
    private readonly states: FoldedStates,
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly keys: KeyRing,
  ) {}

  /** Returns the artifact, if the conversation is the user's own and has it. @throws Unavailable */
  async find(
    userId: UserId,
    conversationId: ConversationId,
    artifactId: ArtifactId,
  ): Promise<(ArtifactView & Pick<ArtifactRow, 'content'>) | null> {
    const { state } = await this.states.fresh(conversationKind, conversationId);
    if (state.userId !== userId) return null;
    return this.gate.find(async () => {
      const rows = await this.database.query<Found & Pick<ArtifactRow, 'content'>>(
        `SELECT ${members} FROM {artifacts} WHERE id = $1 AND conversation_id = $2`,
        [artifactId, conversationId],
      );
      const [row] = await openMembers(this.keys, rows, personalMembers);
      return row ?? null;
    });
  }
}

/** An artifact with the place of its bytes, as `GetArtifact`. Refuses with `not_found`, also once its bytes are erased. */
export class FindArtifactFile extends Query<Result<ArtifactFile>> {
  constructor(
    readonly userId: UserId,
    readonly conversationId: ConversationId,
    readonly artifactId: ArtifactId,
  ) {
    super();
  }
}

const members = selectList(ArtifactRow, [...memberNames(Artifact), 'content']);

@QueryHandler(FindArtifactFile)
export class FindArtifactFileHandler implements IQueryHandler<FindArtifactFile> {
  constructor(private readonly found: FoundArtifacts) {}

  async execute({ userId, conversationId, artifactId }: FindArtifactFile): Promise<Result<ArtifactFile>> {
    const artifact = await this.found.find(userId, conversationId, artifactId);
    return artifact === null ? refuse(notFound) : withContent(artifact);
  }
}

@QueryHandler(GetArtifact)
export class GetArtifactHandler implements IQueryHandler<GetArtifact> {
  constructor(private readonly found: FoundArtifacts) {}

  async execute({ userId, conversationId, artifactId }: GetArtifact): Promise<Result<ArtifactView>> {
    const artifact = await this.found.find(userId, conversationId, artifactId);
    if (artifact === null) return refuse(notFound);
    const { content: _, ...view } = artifact;
    return ok(view);
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
    private readonly keys: KeyRing,
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
    const rows = await this.database.query<Found & Pick<ArtifactRow, 'position'>>(
      `SELECT ${listed} FROM {artifacts}
       WHERE conversation_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`,
      [conversationId, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
    return openMembers(this.keys, rows, personalMembers);
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
