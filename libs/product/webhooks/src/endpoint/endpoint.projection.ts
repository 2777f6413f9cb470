import { idInStream } from '@app/event-store';
import { unreachable } from '@app/kernel';
import { migration, type Projection } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { DisabledBecause, EndpointEvent, EndpointSettings } from './endpoint.events';
import { endpointKind } from './endpoint.stream';

/** An endpoint as operators see it; deleted ones are not shown. */
@Entity('webhook_endpoints')
export class EndpointRow implements EndpointSettings {
  @PrimaryColumn('uuid') id: string;
  @Column('text') url: string;
  @Column('json', { nullable: true }) types: readonly string[] | null;
  @Column('text') payload: EndpointSettings['payload'];
  @Column('text') description: string;
  /** Null: it is enabled. */
  @Column('text', { nullable: true }) disabledBecause: DisabledBecause | null;
  @Column('text', { nullable: true }) disabledAt: string | null;
  @Column('text') createdAt: string;
  /** When anything about it last changed, including its secret and whether it is enabled. */
  @Column('text') updatedAt: string;
  /** When its newest secret was made. */
  @Column('text') rotatedAt: string;
  @Column('text', { nullable: true }) deletedAt: string | null;
  /** Position of its first event; lists are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

export const endpointsMigrations = [
  migration(
    800,
    'CreateWebhookEndpoints',
    `
      CREATE TABLE webhook_endpoints (
        id uuid PRIMARY KEY, url text NOT NULL, types json, payload text NOT NULL, description text NOT NULL,
        disabled_because text, disabled_at text, created_at text NOT NULL, updated_at text NOT NULL,
        rotated_at text NOT NULL, deleted_at text, opened_position bigint NOT NULL, position bigint NOT NULL);
    `,
  ),
  // The sealed keys that sign deliveries. Not a read model: no rebuild touches them, and events carry only the ids of
  // keys.
  migration(
    801,
    'CreateWebhookEndpointKeys',
    `
      CREATE TABLE webhook_endpoint_keys (
        key_id uuid PRIMARY KEY, endpoint_id uuid NOT NULL, sealed bytea NOT NULL, in_force boolean NOT NULL DEFAULT false,
        until_ms bigint, created_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX webhook_endpoint_keys_of_endpoint ON webhook_endpoint_keys (endpoint_id);
    `,
  ),
];

/** One row for each endpoint. */
export const endpointsProjection: Projection<EndpointRow, EndpointEvent> = {
  name: 'webhook_endpoints',
  version: 1,
  row: EndpointRow,
  kinds: [endpointKind],
  keyOf: ({ stream }) => idInStream(endpointKind, stream),
  project: (row, { stream, position, event }) => {
    const { at } = event;
    switch (event.type) {
      case 'endpoint.created': {
        const id = idInStream(endpointKind, stream);
        if (id === null) return row;
        const { url, types, payload, description } = event;
        const enabled = { disabledBecause: null, disabledAt: null };
        const times = { createdAt: at, updatedAt: at, rotatedAt: at, deletedAt: null };
        return { id, url, types, payload, description, ...enabled, ...times, openedPosition: position, position };
      }
      case 'endpoint.changed': {
        const { url, types, payload, description } = event;
        return row && { ...row, url, types, payload, description, updatedAt: at, position };
      }
      case 'endpoint.secret_rotated':
        return row && { ...row, rotatedAt: at, updatedAt: at, position };
      case 'endpoint.enabled':
        return row && { ...row, disabledBecause: null, disabledAt: null, updatedAt: at, position };
      case 'endpoint.disabled':
        return row && { ...row, disabledBecause: event.because, disabledAt: at, updatedAt: at, position };
      case 'endpoint.deleted':
        return row && { ...row, deletedAt: at, position };
      default:
        return unreachable(event);
    }
  },
};
