import { conversationKind, type ConversationEvent } from '@app/conversations';
import { idInStream } from '@app/event-store';
import type { Projection } from '@app/read-store';
import { ArtifactRow } from './artifact.row';

/** Table `artifacts`. */
export const artifactsProjection: Projection<ArtifactRow, ConversationEvent> = {
  name: 'artifacts',
  version: 2,
  row: ArtifactRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => (event.type === 'artifact.uploaded' ? event.artifactId : null),
  project: (_, { event, stream, position, metadata }) => {
    if (event.type !== 'artifact.uploaded') return null;
    const { artifactId: id, name, mediaType, bytes, sha256, at: createdAt } = event;
    const conversationId = idInStream(conversationKind, stream) ?? '';
    // Only their owners upload.
    const { id: userId } = metadata.actor;
    return { id, userId, conversationId, name, mediaType, bytes, sha256, createdAt, position };
  },
  counters: ({ conversationId }) => [conversationId],
  // Each counts with all of its bytes, also where others hold the same, which are kept once.
  sums: ({ userId, bytes }) => ({ [`${userId}/bytes`]: bytes }),
};
