import { Injectable } from '@nestjs/common';
import { isErased, type UserId } from '@app/kernel';
import { Database, selectList } from '@app/read-store';
import { KeyRing, openMembers } from '@app/sealing';
import type { Readable } from 'node:stream';
import { personalMembers, type ArtifactView, type PersonalMember } from './artifact.schema';
import { ArtifactRow } from './artifacts.projection';
import { ArtifactBytes, ErasedContent } from './sealed/artifact-bytes';
import { MissingContent } from './stores/artifact-store';

const pageArtifacts = 200;
const members = selectList(ArtifactRow, [
  'id',
  'conversationId',
  'name',
  'mediaType',
  'bytes',
  'sha256',
  'createdAt',
  'content',
  'position',
]);

/** An artifact of a user, its words open or erased. */
export type OwnedArtifact = ArtifactView & Pick<ArtifactRow, 'content' | 'position'>;

/** Reads all artifacts of a user, with their bytes. */
@Injectable()
export class ArtifactsOfUser {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly bytes: ArtifactBytes,
  ) {}

  /** Yields all of them, oldest first. The read models must have caught up. @throws Unavailable */
  async *of(userId: UserId): AsyncGenerator<OwnedArtifact, void, undefined> {
    for (let after = 0; ;) {
      const rows = await this.database.query<Omit<OwnedArtifact, PersonalMember> & Pick<ArtifactRow, PersonalMember>>(
        `SELECT ${members} FROM {artifacts} WHERE user_id = $1 AND position > $2 ORDER BY position LIMIT $3`,
        [userId, after, pageArtifacts],
      );
      yield* await openMembers(this.keys, rows, personalMembers);
      after = rows.at(-1)?.position ?? after;
      if (rows.length < pageArtifacts) return;
    }
  }

  /**
   * Returns the bytes, which the caller must read to the end or destroy; null once they are erased.
   * @throws Unavailable, as do bytes that fail to arrive; `isLost` knows those that will never arrive
   */
  async open({ sha256, ...artifact }: OwnedArtifact): Promise<Readable | null> {
    if (isErased(sha256)) return null;
    try {
      return await this.bytes.get({ ...artifact, sha256, artifactId: artifact.id });
    } catch (error) {
      if (error instanceof ErasedContent) return null;
      throw error;
    }
  }
}

/** Whether bytes did not arrive because their file is missing or damaged: another try gets no further. */
export function isLost(error: unknown): error is Error {
  return error instanceof MissingContent;
}
