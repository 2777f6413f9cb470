import { idInStream } from '@app/event-store';
import { migration, type Projection } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import {
  ArchivedConversationRow,
  archivedConversationsMigrations,
  archivedConversationsProjection,
} from './retention/archived-conversations.projection';
import type { ErasureEvent } from './erasure/erasure.events';
import { erasureKind } from './erasure/erasure.stream';

/** An erasure, for the worker that looks for those that are not over. */
@Entity('erasures')
class ErasureRow {
  @PrimaryColumn('uuid') userId: string;
  /** False while there is something to do: not once it is completed, nor while it waits for an operator. */
  @Column('boolean') isOpen: boolean;
  @Column('text') requestedAt: string;
  @Column('bigint') position: number;
}

const erasuresMigrations = [
  migration(
    770,
    'CreateErasures',
    `
      CREATE TABLE erasures (
        user_id uuid PRIMARY KEY, is_open boolean NOT NULL, requested_at text NOT NULL, position bigint NOT NULL);
      CREATE INDEX erasures_open ON erasures (requested_at) WHERE is_open;
    `,
  ),
];

/** One row for each erasure. */
const erasuresProjection: Projection<ErasureRow, ErasureEvent> = {
  name: 'erasures',
  version: 1,
  row: ErasureRow,
  kinds: [erasureKind],
  keyOf: ({ stream }) => idInStream(erasureKind, stream),
  project: (row, { stream, position, event }) => {
    const userId = idInStream(erasureKind, stream);
    if (event.type === 'erasure.requested')
      return userId === null ? row : { userId, isOpen: true, requestedAt: row?.requestedAt ?? event.at, position };
    const isOver = event.type === 'erasure.completed' || event.type === 'erasure.words_left';
    return row && { ...row, isOpen: !isOver, position };
  },
};

/** The slice's tables and projections in PostgreSQL. */
export const privacyReadModel = {
  rows: [ErasureRow, ArchivedConversationRow],
  migrations: [...erasuresMigrations, ...archivedConversationsMigrations],
  projections: [erasuresProjection, archivedConversationsProjection],
};
