import { Injectable } from '@nestjs/common';
import { asId, instantOf, type EndpointId, type Instant } from '@app/kernel';
import { Database } from '@app/read-store';

/** The state of deliveries to an endpoint. */
export interface EndpointHealth {
  /** Since when every attempt has failed; null if the last one succeeded. */
  readonly failingSince: Instant | null;
  /** Number of pending deliveries; at most `pendingCountedMax`. */
  readonly pending: number;
  /** Since when the oldest of them waits. */
  readonly oldestPendingAt: Instant | null;
}

/** Counting stops here, because an outage leaves very many. */
const pendingCountedMax = 10_000;

interface HealthRow {
  readonly id: string;
  readonly failing_since_ms: number | null;
  readonly pending: number;
  readonly oldest_ms: number | null;
}

/** Health of endpoints, as of now. */
@Injectable()
export class EndpointHealths {
  constructor(private readonly database: Database) {}

  /** Health of those given endpoints that the fan-out knows. @throws Unavailable */
  async of(endpointIds: readonly EndpointId[]): Promise<ReadonlyMap<EndpointId, EndpointHealth>> {
    const rows = await this.database.query<HealthRow>(
      `SELECT t.endpoint_id AS id, t.failing_since_ms, owed.pending, oldest.created_at_ms AS oldest_ms
       FROM webhook_targets AS t
       CROSS JOIN LATERAL (
         SELECT count(*)::integer AS pending FROM (
           SELECT 1 FROM webhook_deliveries
           WHERE endpoint_id = t.endpoint_id AND state = 'pending' LIMIT $2) AS counted) AS owed
       LEFT JOIN LATERAL (
         SELECT created_at_ms FROM webhook_deliveries
         WHERE endpoint_id = t.endpoint_id AND state = 'pending' ORDER BY seq LIMIT 1) AS oldest ON true
       WHERE t.endpoint_id = ANY($1::uuid[])`,
      [endpointIds, pendingCountedMax],
    );
    return new Map(rows.map((row) => [asId<EndpointId>(row.id), healthOf(row)]));
  }
}

function healthOf({ failing_since_ms: failingMs, pending, oldest_ms: oldestMs }: HealthRow): EndpointHealth {
  return {
    failingSince: failingMs === null ? null : instantOf(failingMs),
    pending,
    oldestPendingAt: oldestMs === null ? null : instantOf(oldestMs),
  };
}
