import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { conversationKind, isWritable, type ArtifactFacts } from '@app/conversations';
import { FoldedStates, Transact } from '@app/event-store';
import {
  asId,
  Clock,
  notFound,
  ok,
  refuse,
  type ArtifactId,
  type Cause,
  type ConversationId,
  type Result,
  type UserId,
} from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';
import type { ArtifactView } from './artifact.schema';
import { ArtifactStore } from './artifact-store';

export interface Upload {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly name: string;
  readonly mediaType: string;
  /** Taken only where the conversation can have it. */
  readonly body: AsyncIterable<Buffer>;
  readonly cause: Cause;
}

/**
 * `artifacts.upload`: the bytes first, then `artifact.uploaded`, so that whatever the journal names can be read. Bytes whose event
 * was refused after all (the conversation was archived meanwhile) stay unnamed: they may be another artifact's as well.
 */
@Injectable()
export class UploadArtifact {
  constructor(
    private readonly commands: CommandBus,
    private readonly states: FoldedStates,
    private readonly store: ArtifactStore,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Throws whatever the body throws, and then nothing is kept. @throws Unavailable */
  async upload({ userId, conversationId, name, mediaType, body, cause }: Upload): Promise<Result<ArtifactView>> {
    const { state } = await this.states.current(conversationKind, conversationId);
    if (!isWritable(state, userId)) return refuse(notFound);
    const { sha256, bytes } = await this.store.put(body);
    const at = this.clock.now();
    const artifact: ArtifactFacts = { artifactId: asId<ArtifactId>(uuidV7()), name, mediaType, bytes, sha256 };
    const command = { type: 'AddArtifact', at, userId, artifact } as const;
    const done = await this.commands.execute(new Transact(conversationKind, conversationId, command, cause));
    if (!done.accepted) return refuse(done.refusal);
    await this.gate.passed(done.position);
    return ok({ id: artifact.artifactId, conversationId, name, mediaType, bytes, sha256, createdAt: at });
  }
}
