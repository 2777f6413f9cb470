import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, type EndpointId } from '@app/kernel';
import { Database } from '@app/read-store';
import { Configuration, Sealing } from '@app/runtime';
import { randomBytes } from 'node:crypto';
import { v7 as uuidV7 } from 'uuid';
import type { SigningKey } from './endpoint.state';

/** Endpoints of a deployment: each event is sent to all that want its type. */
const endpointsMax = 50;
/** Between the 24 and the 64 that Standard Webhooks takes. */
const secretBytes = 32;
/** Keys that no event came to name are kept this long: a change that was cut may still be completed. Real time. */
const forgottenAfter = '1 hour';
/** Endpoints are admitted one after the other. */
const lockName = 'webhook_endpoints';

/** A new key, before anything names it. */
export interface NewKey {
  readonly keyId: string;
  /** `whsec_` and standard base64, for the receiver's library of Standard Webhooks; shown once. */
  readonly secret: string;
}

/**
 * The secrets that deliveries are signed with: sealed in PostgreSQL, while the endpoint's stream says which keys sign, and until when.
 * An endpoint has its place in the deployment by having a key in force. All throw Unavailable.
 */
@Injectable()
export class EndpointSecrets {
  private readonly sealing: Sealing;

  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
    configuration: Configuration,
  ) {
    this.sealing = new Sealing(configuration, 'parley/webhook-endpoint-keys/1');
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

  /** Puts the first key of an endpoint in force; false where the deployment has as many endpoints as it can. Idempotent. */
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

  /** Makes the keys of an endpoint those that its stream names, and deletes those from before; later ones may still be named. */
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

  /** Deletes all keys of an endpoint, and gives back its place. */
  async forget(endpointId: EndpointId): Promise<void> {
    await this.database.query('DELETE FROM webhook_endpoint_keys WHERE endpoint_id = $1', [endpointId]);
  }

  /** The secrets that sign now, by the service clock, newest first; none of an endpoint that is not there. */
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
  return `${keyId}/${endpointId}`;
}
