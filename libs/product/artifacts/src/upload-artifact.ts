import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { conversationKind, isWritable } from '@app/conversations';
import { FoldedStates, Streams } from '@app/event-store';
import { ProblemException, tooLarge } from '@app/http';
import { asId, Clock, notFound, ok, refuse } from '@app/kernel';
import type { ArtifactId, Cause, ConversationId, Result, UserId } from '@app/kernel';
import { UserQuotas } from '@app/quotas';
import { Configuration } from '@app/settings';
import { v7 as uuidV7 } from 'uuid';
import type { ArtifactView } from './artifact.schema';
import { ArtifactBytes, type NewArtifact } from './sealed/artifact-bytes';

interface Upload {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly name: string;
  readonly mediaType: string;
  /** From its `Content-Length`; null if it has none. */
  readonly declaredBytes: number | null;
  /** Read only if the conversation can have it. */
  readonly body: AsyncIterable<Buffer>;
  readonly cause: Cause;
}

/**
 * Stores a file in a conversation: the bytes first, then `artifact.uploaded`, so that everything that the journal names can be read. Bytes
 * whose event was refused after all (the conversation was archived meanwhile) stay without a name, sealed. They still count, so that no
 * user can fill the disk with them.
 * Refuses with `not_found`. Rethrows the body's error, and then stores nothing. @throws Unavailable
 */
export class UploadArtifact extends Command<Result<ArtifactView>> {
  constructor(readonly upload: Upload) {
    super();
  }
}

@CommandHandler(UploadArtifact)
export class UploadArtifactHandler implements ICommandHandler<UploadArtifact> {
  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly bytes: ArtifactBytes,
    private readonly clock: Clock,
    private readonly quotas: UserQuotas,
    private readonly configuration: Configuration,
  ) {}

  async execute({ upload }: UploadArtifact): Promise<Result<ArtifactView>> {
    const { userId, conversationId, name, mediaType, cause } = upload;
    const { state } = await this.states.fresh(conversationKind, conversationId);
    if (!isWritable(state, userId)) return refuse(notFound);
    const artifactId = asId<ArtifactId>(uuidV7());
    const { sha256, bytes, content } = await this.keepBytes({ userId, conversationId, artifactId }, upload);
    const at = this.clock.now();
    const artifact = { artifactId, name, mediaType, bytes, sha256, content };
    const command = { type: 'AddArtifact', at, userId, artifact } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause, { visible: true });
    if (!done.ok) {
      await this.quotas.keep('artifactBytes', artifactId);
      return refuse(done.refusal);
    }
    return ok({ id: artifactId, conversationId, name, mediaType, bytes, sha256, createdAt: at });
  }

  /**
   * Stores the bytes within the user's quota: as many bytes as were declared, or else as many as are possible, are reserved before they are
   * read, and released if the upload fails.
   */
  private async keepBytes(artifact: NewArtifact, { declaredBytes, body }: Upload) {
    const { userId, artifactId: id } = artifact;
    const most = declaredBytes ?? this.configuration.env.ARTIFACT_LIMIT_BYTES;
    const place = await this.quotas.reserveUpTo('artifactBytes', { userId, id }, { least: declaredBytes ?? 1, most });
    if (place === 0) throw new ProblemException(tooLarge);
    try {
      const stored = await this.bytes.put(artifact, within(place, body));
      if (stored.bytes !== place) await this.quotas.resize('artifactBytes', id, stored.bytes);
      return stored;
    } catch (error) {
      await this.quotas.release('artifactBytes', id);
      throw error;
    }
  }
}

async function* within(bytesMax: number, body: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void, undefined> {
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > bytesMax) throw new ProblemException(tooLarge);
    yield chunk;
  }
}
