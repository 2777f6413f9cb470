import { Injectable } from '@nestjs/common';
import { Clock, epochMsOf, instantOf, invalid, notFound, ok, refuse, type Instant, type Result } from '@app/kernel';
import { Database } from '@app/read-store';
import { ownTypes, type AttemptFailure, type DeliveryState, type DeliveryView, type ListedDelivery } from './delivery';
import { deliveriesChannel, finishedKeptMs, recoveriesChannel, skewMs } from './delivery-tables';

interface DeliveryRow extends Pick<DeliveryView, 'id' | 'noticeId' | 'type' | 'state' | 'attempts'> {
  readonly seq: number;
  readonly createdMs: number;
  readonly lastMs: number | null;
  readonly status: number | null;
  readonly failure: AttemptFailure | null;
  readonly finishedMs: number | null;
  readonly nextMs: number | null;
}

/** Only the next delivery of a lane has a time for its next attempt. */
const selected = `
  SELECT d.id, d.seq, d.notice_id AS "noticeId", d.type, d.state, d.attempts, d.created_at_ms AS "createdMs",
    d.last_at_ms AS "lastMs", d.last_status AS status, d.last_failure AS failure, d.finished_at_ms AS "finishedMs",
    CASE WHEN d.state = 'pending' AND d.revision = head.revision THEN lane.due_at_ms END AS "nextMs"
  FROM webhook_deliveries AS d
  LEFT JOIN webhook_lanes AS lane ON lane.endpoint_id = d.endpoint_id AND lane.stream = d.stream
  LEFT JOIN LATERAL (
    SELECT first.revision FROM webhook_deliveries AS first
    WHERE first.endpoint_id = d.endpoint_id AND first.stream = d.stream AND first.state = 'pending'
    ORDER BY first.revision LIMIT 1) AS head ON true`;

/** Operators' view of the deliveries to an endpoint, and their actions on them. Every method throws Unavailable. */
@Injectable()
export class Deliveries {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Newest first. @param before sort key of the previous page's last delivery; @returns up to `limit` */
  async list(
    endpointId: string,
    { state, before, limit }: { readonly state?: DeliveryState; readonly before?: number; readonly limit: number },
  ): Promise<ListedDelivery[]> {
    const rows = await this.database.query<DeliveryRow>(
      `${selected} WHERE d.endpoint_id = $1 AND ($2::text IS NULL OR d.state = $2) AND ($3::bigint IS NULL OR d.seq < $3)
       ORDER BY d.seq DESC LIMIT $4`,
      [endpointId, state ?? null, before ?? null, limit],
    );
    return rows.map((row) => ({ seq: row.seq, view: viewOf(row) }));
  }

  /**
   * Attempts a delivery again at once, whatever its state, with its attempts counted from 0. Refuses with `not_found`
   * if it belongs to another endpoint or is no longer kept, and with `invalid_input` while its endpoint is disabled.
   */
  async retry(endpointId: string, deliveryId: string): Promise<Result<DeliveryView>> {
    const [found] = await this.database.query<{ revived: boolean }>(
      `WITH asked AS (
         SELECT d.id, d.is_own OR t.is_enabled AS allowed, t.epoch FROM webhook_deliveries AS d JOIN webhook_targets AS t USING (endpoint_id)
         WHERE d.id = $2 AND d.endpoint_id = $1),
       revived AS (
         UPDATE webhook_deliveries AS d
         SET state = 'pending', attempts = 0, failed_in = NULL, finished_at_ms = NULL, epoch = asked.epoch
         FROM asked WHERE d.id = asked.id AND asked.allowed RETURNING d.endpoint_id, d.stream, d.is_own, d.epoch),
       lanes AS (
         INSERT INTO webhook_lanes AS lane (endpoint_id, stream, due_at_ms, is_own, epoch)
         SELECT endpoint_id, stream, $3, is_own, epoch FROM revived
         ON CONFLICT (endpoint_id, stream) DO UPDATE
         SET due_at_ms = excluded.due_at_ms, epoch = excluded.epoch, version = lane.version + 1, is_probing = false),
       told AS (SELECT pg_notify('${deliveriesChannel}', '') FROM revived)
       SELECT allowed AND (SELECT count(*) FROM told) > 0 AS revived FROM asked`,
      [endpointId, deliveryId, this.clock.epochMs()],
    );
    if (found === undefined) return refuse(notFound);
    if (!found.revived) return refuse(invalid('', 'the endpoint is disabled: enable it first'));
    return this.find(deliveryId);
  }

  /**
   * Restores deliveries given up or canceled since then, and adds events that happened while the endpoint was disabled;
   * in the background, in the order of each stream.
   */
  async recover(endpointId: string, since: Instant): Promise<Result<void>> {
    const [sinceMs, nowMs] = [epochMsOf(since), this.clock.epochMs()];
    if (sinceMs < nowMs - finishedKeptMs)
      return refuse(invalid('/since', 'must be at most 30 days ago; the feed has what is older'));
    const [target] = await this.database.query<{ is_enabled: boolean }>(
      'SELECT is_enabled FROM webhook_targets WHERE endpoint_id = $1 AND NOT is_deleted',
      [endpointId],
    );
    if (target === undefined) return refuse(notFound);
    if (!target.is_enabled) return refuse(invalid('', 'the endpoint is disabled: enable it first'));
    await this.database.query(
      `WITH asked AS (
         INSERT INTO webhook_recoveries AS known (endpoint_id, since_ms, position)
         SELECT $1::uuid, $2::bigint, coalesce((SELECT position FROM webhook_marks WHERE at_ms <= $2::bigint - ${skewMs} ORDER BY at_ms DESC LIMIT 1), 0)
         ON CONFLICT (endpoint_id) DO UPDATE
         SET since_ms = least(known.since_ms, excluded.since_ms), position = least(known.position, excluded.position))
       SELECT pg_notify('${recoveriesChannel}', '')`,
      [endpointId, sinceMs],
    );
    return ok(undefined);
  }

  /**
   * Sends the endpoint a message of the type `endpoint.test`, which is attempted once, also while the endpoint is
   * disabled.
   * @param id of the message; repeating it sends no second one
   */
  async test(endpointId: string, id: string): Promise<Result<DeliveryView>> {
    await this.database.query(
      `WITH made AS (
         INSERT INTO webhook_deliveries (id, endpoint_id, notice_id, type, stream, revision, is_own, epoch, created_at_ms)
         VALUES ($1, $2, $1, '${ownTypes.test}', $3, 0, true, 0, $4) ON CONFLICT DO NOTHING RETURNING endpoint_id, stream),
       lanes AS (
         INSERT INTO webhook_lanes (endpoint_id, stream, due_at_ms, is_own, epoch) SELECT endpoint_id, stream, $4, true, 0 FROM made)
       SELECT pg_notify('${deliveriesChannel}', '')`,
      [id, endpointId, `test-${id}`, this.clock.epochMs()],
    );
    return this.find(id);
  }

  private async find(deliveryId: string): Promise<Result<DeliveryView>> {
    const [row] = await this.database.query<DeliveryRow>(`${selected} WHERE d.id = $1`, [deliveryId]);
    return row === undefined ? refuse(notFound) : ok(viewOf(row));
  }
}

function viewOf(row: DeliveryRow): DeliveryView {
  const { seq: _, createdMs, lastMs, status, failure, finishedMs, nextMs, ...delivery } = row;
  return {
    ...delivery,
    nextAttemptAt: nextMs === null ? null : instantOf(nextMs),
    lastAttempt: lastMs === null ? null : { at: instantOf(lastMs), status, failure },
    createdAt: instantOf(createdMs),
    deliveredAt: delivery.state === 'delivered' && finishedMs !== null ? instantOf(finishedMs) : null,
  };
}
