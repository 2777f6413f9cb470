import { Injectable } from '@nestjs/common';
import type { OpenArtifact, SealedContent } from '@app/conversations';
import type { ByteRange } from '@app/http';
import { asId, type ArtifactId, type ConversationId, type UserId } from '@app/kernel';
import { conversationKeyId, KeyRing, sealedForConversation } from '@app/sealing';
import { hkdfSync } from 'node:crypto';
import type { Readable } from 'node:stream';
import { ArtifactStore, Measured, MissingContent, type StoredBytes } from '../stores/artifact-store';
import { openStream } from './open-stream';
import { sealStream } from './seal-stream';
import { headerBytes, segmentsFor } from './segments';

/** A new artifact and its owner. */
export interface NewArtifact {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  readonly artifactId: ArtifactId;
}

/** The key of an artifact's bytes was destroyed: they exist no more. */
export class ErasedContent extends Error {}

/** The artifact whose bytes are read. */
export interface BytesOf extends Pick<OpenArtifact, 'sha256' | 'bytes' | 'content'> {
  readonly conversationId: string;
  readonly artifactId: string;
}

/** Options of a read. */
export interface PlainReading {
  /** Bytes from the first to the last, both included and existing; all if absent. */
  readonly range?: ByteRange | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Stores and reads the bytes of artifacts, each sealed under a key of its own. The key derives from the conversation's, so that closing the
 * conversation or erasing its user makes the bytes unreadable. Artifacts of earlier versions lie unsealed under the hash of their bytes.
 */
@Injectable()
export class ArtifactBytes {
  constructor(
    private readonly store: ArtifactStore,
    private readonly keys: KeyRing,
  ) {}

  /**
   * Seals and stores the body while it arrives. Returns hash and length of the body, and those of the sealed file. Rethrows the body's
   * error, and then stores nothing. @throws KeyDestroyed, Unavailable
   */
  async put(artifact: NewArtifact, body: AsyncIterable<Buffer>): Promise<StoredBytes & { content: SealedContent }> {
    const { userId, conversationId, artifactId } = artifact;
    const key = await this.keys.keyOf(sealedForConversation(conversationId, userId));
    const plain = new Measured(body);
    const content = await this.store.put(sealStream(artifactKey(key, artifactId), plain.chunks()));
    return { ...plain.finish(), content };
  }

  /**
   * Returns the bytes, which the caller must read to the end or destroy. Rejects, or breaks off the bytes, with the signal's reason when it
   * aborts. @throws ErasedContent, and MissingContent or Unavailable, as do bytes that fail to arrive
   */
  async get(artifact: BytesOf, { range, signal }: PlainReading = {}): Promise<Readable> {
    const { bytes, sha256, content, conversationId, artifactId } = artifact;
    if (content === null) return this.stored(sha256, { bytes, range, signal });
    const keyId = conversationKeyId(asId<ConversationId>(conversationId));
    const key = (await this.keys.keysOf([keyId])).get(keyId) ?? null;
    if (key === null) throw new ErasedContent('the key of an artifact was destroyed');
    const segments = segmentsFor(bytes, range);
    // Each segment is verified as it opens.
    const reading = { bytes: content.bytes, signal, isUnhashed: true };
    // The header is read on its own only where it does not precede the first segment.
    const isFromStart = segments.first === 0;
    const header = isFromStart ? null : await this.headerOf(content, signal);
    const { from, to } = segments.sealed;
    const part = isFromStart ? { from: 0, to } : { from, to };
    const sealed = await this.stored(content.sha256, { ...reading, range: range && part });
    const damaged = () => new MissingContent(this.store.placeOf(content.sha256), 'damaged');
    return openStream(sealed, { key: artifactKey(key, artifactId), segments, header }, damaged);
  }

  /**
   * Removes the sealed bytes of an artifact, if they are still there. Returns false if the store's rights do not allow it: then only the
   * destroyed key protects them. Sealed bytes belong to one artifact; those of earlier versions may be shared. @throws Unavailable
   */
  async remove({ sha256 }: SealedContent): Promise<boolean> {
    return this.store.remove(sha256);
  }

  private async headerOf({ sha256, bytes }: SealedContent, signal: AbortSignal | undefined): Promise<Buffer> {
    const stream = await this.stored(sha256, { bytes, signal, range: { from: 0, to: headerBytes - 1 } });
    // Reason for the assertion: no store sets an encoding.
    return Buffer.concat((await stream.toArray()) as Buffer[]);
  }

  private async stored(sha256: string, reading: Parameters<ArtifactStore['get']>[1]): Promise<Readable> {
    const content = await this.store.get(sha256, reading);
    if (content === null) throw new MissingContent(this.store.placeOf(sha256));
    return content;
  }
}

/** Returns the key of an artifact's bytes, which no other artifact has. */
function artifactKey(conversationKey: Buffer, artifactId: string): Buffer {
  return Buffer.from(hkdfSync('sha256', conversationKey, artifactId, 'parley/artifact-key/1', 32));
}
