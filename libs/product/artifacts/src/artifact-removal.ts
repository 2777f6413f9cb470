import { Injectable } from '@nestjs/common';
import type { SealedContent } from '@app/conversations';
import type { ConversationId, UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { ArtifactBytes } from './sealed/artifact-bytes';

const pageArtifacts = 200;

/** How many files of a user were removed, and how many stay because the store's rights do not allow it. */
interface Removed {
  readonly removed: number;
  readonly kept: number;
}

/** Removes the bytes of artifacts; their events and rows stay. */
@Injectable()
export class ArtifactRemoval {
  constructor(
    private readonly database: Database,
    private readonly bytes: ArtifactBytes,
  ) {}

  /** Files of earlier versions stay: other users may have the same ones. Idempotent. The read models must have caught up. @throws Unavailable */
  async removeAll(userId: UserId): Promise<Removed> {
    return this.removeWhere('user_id', userId);
  }

  /** As `removeAll`, for the files of one conversation. @throws Unavailable */
  async removeOf(conversationId: ConversationId): Promise<Removed> {
    return this.removeWhere('conversation_id', conversationId);
  }

  private async removeWhere(column: 'user_id' | 'conversation_id', id: string): Promise<Removed> {
    let [removed, kept, after] = [0, 0, 0];
    for (;;) {
      const rows = await this.database.query<{ readonly content: SealedContent; readonly position: number }>(
        `SELECT content, position FROM {artifacts} WHERE ${column} = $1 AND content IS NOT NULL AND position > $2
         ORDER BY position LIMIT $3`,
        [id, after, pageArtifacts],
      );
      for (const { content } of rows) {
        if (await this.bytes.remove(content)) removed += 1;
        else kept += 1;
      }
      after = rows.at(-1)?.position ?? after;
      if (rows.length < pageArtifacts) return { removed, kept };
    }
  }
}
