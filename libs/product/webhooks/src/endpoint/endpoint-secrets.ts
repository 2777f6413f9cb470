import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, type EndpointId } from '@app/kernel';
import { Database } from '@app/read-store';
import { Sealing, type SealedTable } from '@app/runtime';
import { Configuration } from '@app/settings';
import { randomBytes } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import type { SigningKey } from './endpoint.state';

/** Maximum number of endpoints in a deployment, because each event is sent to all that want its type. */
const endpointsMax = 50;
/** Between the 24 and 64 bytes that Standard Webhooks allows. */
const secretBytes = 32;
/** How long keys that no event names are kept, because an interrupted change may still be completed. Real time. */
const forgottenAfter = '1 hour';
/** Lock under which endpoints are admitted one at a time. */
const lockName = 'webhook_endpoints';

/** The sealed secrets, each bound to its key's id and its endpoint. */
export const endpointKeysTable: SealedTable = {
  table: 'webhook_endpoint_keys',
  key: 'key_id',
  keyType: 'uuid',
  value: 'sealed',
  label: 'parley/webhook-endpoint-keys/1',
  boundTo: ({ key_id, endpoint_id }) => [key_id, endpoint_id].join('/'),
};

/** A new key that no event names yet. */
export interface NewKey {
  readonly keyId: string;
  /** `whsec_` and standard base64, for the receiver's library of Standard Webhooks; shown once. */
  readonly secret: string;
}

/**
 * The secrets that sign deliveries: sealed in PostgreSQL, while the endpoint's stream says which keys sign, and until
 * when. An endpoint counts towards the deployment's maximum while it has a key in force. All methods throw Unavailable.
 */
@Injectable()
export class EndpointSecrets {
  private readonly sealing: Sealing;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    configuration: Configuration,
  ) {
    this.sealing = new Sealing(configuration, endpointKeysTable.label);
  }

  /** Makes and seals a key, before the event that names it. */
  async make(endpointId: EndpointId): Promise<NewKey> {
    const [keyId, secret] = [uuidV7(), randomBytes(secretBytes)];
    await this.database.query(
      'DELETE FROM webhook_endpoint_keys WHERE NOT in_force AND created_at < now() - $1::interval',
      [forgottenAfter],
    );
    await this.database.query('INSERT INTO webhook_endpoint_keys (key_id, endpoint_id, sealed) VALUES ($1, $2, $3)', [
      keyId,
      endpointId,
      this.sealing.seal(secret, boundTo(keyId, endpointId)),
    ]);
    return { keyId, secret: `whsec_${secret.toString('base64')}` };
  }

  /** Deletes a key that no event will name. */
  async drop(keyId: string): Promise<void> {
    await this.database.query('DELETE FROM webhook_endpoint_keys WHERE key_id = $1', [keyId]);
  }

  /** Puts the first key of an endpoint in force; false if the deployment has the maximum number of endpoints. Idempotent. */
  async admit(endpointId: EndpointId, keyId: string): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [lockName]);
      const others: { count: number }[] = await manager.query(
        'SELECT count(DISTINCT endpoint_id)::integer AS count FROM webhook_endpoint_keys WHERE in_force AND endpoint_id <> $1',
        [endpointId],
      );
      if ((others[0]?.count ?? 0) >= endpointsMax) return false;
      await manager.query('UPDATE webhook_endpoint_keys SET in_force = true WHERE key_id = $1', [keyId]);
      return true;
    });
  }

  /** Puts the keys in force that the endpoint's stream names, and deletes older ones; newer ones may still be named. */
  async keepTo(endpointId: EndpointId, keys: readonly SigningKey[]): Promise<void> {
    const ids = keys.map(({ keyId }) => keyId);
    const untilMs = keys.map(({ until }) => (until === null ? null : epochMsOf(until)));
    await this.database.transaction(async (manager) => {
      await manager.query(
        `UPDATE webhook_endpoint_keys AS k SET in_force = true, until_ms = named.until_ms
         FROM unnest($2::uuid[], $3::bigint[]) AS named (key_id, until_ms)
         WHERE k.endpoint_id = $1 AND k.key_id = named.key_id`,
        [endpointId, ids, untilMs],
      );
      await manager.query(
        `DELETE FROM webhook_endpoint_keys
         WHERE endpoint_id = $1 AND NOT key_id = ANY($2::uuid[])
           AND created_at < (SELECT max(created_at) FROM webhook_endpoint_keys WHERE key_id = ANY($2::uuid[]))`,
        [endpointId, ids],
      );
    });
  }

  /** Deletes all keys of an endpoint, which frees its place among the deployment's endpoints. */
  async forget(endpointId: EndpointId): Promise<void> {
    await this.database.query('DELETE FROM webhook_endpoint_keys WHERE endpoint_id = $1', [endpointId]);
  }

  /** The secrets that sign now, by the service clock, newest first; none for an endpoint that does not exist. */
  async signingKeys(endpointId: EndpointId): Promise<readonly Buffer[]> {
    const rows = await this.database.query<{ key_id: string; sealed: Buffer }>(
      `SELECT key_id, sealed FROM webhook_endpoint_keys
       WHERE endpoint_id = $1 AND in_force AND (until_ms IS NULL OR until_ms > $2)
       ORDER BY until_ms DESC NULLS FIRST`,
      [endpointId, this.clock.epochMs()],
      'webhook_endpoint_keys.signing',
    );
    return rows.map(({ key_id: keyId, sealed }) => this.sealing.open(sealed, boundTo(keyId, endpointId)));
  }
}

function boundTo(keyId: string, endpointId: EndpointId): string {
  return endpointKeysTable.boundTo({ key_id: keyId, endpoint_id: endpointId });
}
