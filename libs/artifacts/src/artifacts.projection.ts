import { conversationKind, type ConversationEvent } from '@app/conversations';
import { idInStream } from '@app/event-store';
import type { Projection } from '@app/read-store';
import { ArtifactRow } from './artifact.row';

/** Table `artifacts`. */
export const artifactsProjection: Projection<ArtifactRow, ConversationEvent> = {
  name: 'artifacts',
  version: 1,
  row: ArtifactRow,
  kinds: [conversationKind],
  keyOf: ({ event }) => (event.type === 'artifact.uploaded' ? event.artifactId : null),
  project: (_, { event, stream, position }) => {
    if (event.type !== 'artifact.uploaded') return null;
    const { artifactId: id, name, mediaType, bytes, sha256, at: createdAt } = event;
    const conversationId = idInStream(conversationKind, stream) ?? '';
    return { id, conversationId, name, mediaType, bytes, sha256, createdAt, position };
  },
  counters: ({ conversationId }) => [conversationId],
};
