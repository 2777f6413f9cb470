import { Injectable } from '@nestjs/common';
import type { ArtifactId, ConversationId } from '@app/kernel';
import { Database, ReadGate, selectList } from '@app/read-store';
import { memberNames } from '@app/schema';
import { ArtifactRow } from './artifacts.projection';
import { Artifact, type ArtifactView } from './artifact.schema';

const members = selectList(ArtifactRow, memberNames(Artifact));

type ListedArtifact = ArtifactView & Pick<ArtifactRow, 'position'>;

/** What is read of artifacts in PostgreSQL. */
@Injectable()
export class ArtifactQueries {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
  ) {}

  /** Artifacts of a conversation, newest first by the position of their upload, strictly before a sort key. */
  async list(conversationId: ConversationId, before: number | null, limit: number): Promise<ListedArtifact[]> {
    return this.database.query<ListedArtifact>(
      `SELECT ${members}, position FROM artifacts
       WHERE conversation_id = $1 AND position < $2 ORDER BY position DESC LIMIT $3`,
      [conversationId, before ?? Number.MAX_SAFE_INTEGER, limit],
    );
  }

  /** How many the list has, from kept counters. */
  async total(conversationId: ConversationId): Promise<number> {
    const [row] = await this.database.query<{ total: number }>('SELECT total FROM list_counters WHERE name = $1', [
      `artifacts/${conversationId}`,
    ]);
    return row?.total ?? 0;
  }

  /** The conversation's artifact, or null when there is none even after the read models have caught up. */
  async find(conversationId: ConversationId, id: ArtifactId): Promise<ArtifactView | null> {
    return this.gate.find(async () => {
      const [row] = await this.database.query<ArtifactView>(
        `SELECT ${members} FROM artifacts WHERE id = $1 AND conversation_id = $2`,
        [id, conversationId],
      );
      return row ?? null;
    });
  }
}
