import { Injectable } from '@nestjs/common';
import { Database } from '@app/read-store';
import { v5 as uuidV5 } from 'uuid';
import { deliveriesChannel } from './delivery-tables';
import type { Target, TargetChange } from './fan-out-endpoints';

/** Name of the fan-out's position among the checkpoints of reactors. */
export const fanOutName = 'webhooks';
/** Namespace of ids that derive from an endpoint and a notice. */
const namespace = '5b3a6c1e-8f0d-4b57-9a51-2f9a1c7c2f10';

/** A new pending delivery. */
export interface NewDelivery {
  readonly endpointId: string;
  readonly noticeId: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: number;
  readonly isOwn: boolean;
  readonly epoch: number;
}

/** A range of the store's events, and the changes and deliveries that result from it. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  readonly changes: readonly TargetChange[];
  readonly owed: readonly NewDelivery[];
  readonly nowMs: number;
  /** Whether to record that the store was at this position at this time. */
  readonly isMarked: boolean;
}

/** Another process has moved the position meanwhile. */
class FanOutMoved extends Error {}

/** The id derives from endpoint and notice, so that a repeated event creates no second delivery. */
export function deliveryId(endpointId: string, noticeId: string): string {
  return uuidV5(`${endpointId}/${noticeId}`, namespace);
}

/** Tables that the fan-out writes. Every method throws Unavailable. */
@Injectable()
export class FanOutTables {
  constructor(private readonly database: Database) {}

  async targets(): Promise<Target[]> {
    return this.database.query<Target>(
      `SELECT endpoint_id AS "endpointId", url, types, payload, is_enabled AS "isEnabled", is_deleted AS "isDeleted",
         disabled_at_ms AS "disabledAtMs", epoch, revision FROM webhook_targets`,
    );
  }

  /** Records a range and advances the position past it, all or nothing. @throws FanOutMoved */
  async record(stretch: Stretch): Promise<void> {
    const { from, to, changes, owed, nowMs, isMarked } = stretch;
    // If a crash of PostgreSQL undoes this, it undoes the position too, and the range is processed again.
    const [moved] = await this.database.query<{ moved: boolean }>(statement, [
      from,
      to,
      JSON.stringify(changes.map(({ target }) => target)),
      JSON.stringify(changes.flatMap(({ target, gap }) => (gap === null ? [] : [{ id: target.endpointId, ...gap }]))),
      owed.map(({ endpointId, noticeId }) => deliveryId(endpointId, noticeId)),
      owed.map(({ endpointId }) => endpointId),
      owed.map(({ noticeId }) => noticeId),
      owed.map(({ type }) => type),
      owed.map(({ stream }) => stream),
      owed.map(({ revision }) => revision),
      owed.map(({ isOwn }) => isOwn),
      owed.map(({ epoch }) => epoch),
      nowMs,
      isMarked,
    ]);
    if (moved?.moved !== true) throw new FanOutMoved('another process brings notices to webhooks');
  }
}

const statement = `
  WITH unhurried AS (SELECT set_config('synchronous_commit', 'off', true)),
  moved AS (
    INSERT INTO reactor_checkpoints AS known (name, position) SELECT '${fanOutName}', $2 FROM unhurried
    ON CONFLICT (name) DO UPDATE SET position = excluded.position WHERE known.position = $1 RETURNING 1),
  targets AS (
    INSERT INTO webhook_targets AS t (endpoint_id, url, types, payload, is_enabled, is_deleted, disabled_at_ms, epoch, revision)
    SELECT DISTINCT ON (c."endpointId") c."endpointId", c.url, c.types, c.payload, c."isEnabled", c."isDeleted", c."disabledAtMs", c.epoch, c.revision
    FROM moved, jsonb_to_recordset($3::jsonb) AS c ("endpointId" uuid, url text, types text[], payload text, "isEnabled" boolean,
      "isDeleted" boolean, "disabledAtMs" bigint, epoch integer, revision bigint)
    ORDER BY c."endpointId", c.revision DESC
    ON CONFLICT (endpoint_id) DO UPDATE SET url = excluded.url, types = excluded.types, payload = excluded.payload,
      is_enabled = excluded.is_enabled, is_deleted = excluded.is_deleted, disabled_at_ms = excluded.disabled_at_ms,
      epoch = excluded.epoch, revision = excluded.revision, is_stale = t.is_stale OR excluded.epoch > t.epoch,
      failures = CASE WHEN excluded.epoch > t.epoch THEN 0 ELSE t.failures END,
      failing_since_ms = CASE WHEN excluded.epoch > t.epoch THEN NULL ELSE t.failing_since_ms END,
      resting_until = CASE WHEN excluded.epoch > t.epoch THEN NULL ELSE t.resting_until END,
      period = t.period + (excluded.epoch > t.epoch)::integer),
  gaps AS (
    INSERT INTO webhook_gaps (endpoint_id, from_ms, to_ms)
    SELECT g.id, g."fromMs", g."toMs" FROM moved, jsonb_to_recordset($4::jsonb) AS g (id uuid, "fromMs" bigint, "toMs" bigint)
    ON CONFLICT DO NOTHING),
  owed AS (
    SELECT o.* FROM moved, unnest($5::uuid[], $6::uuid[], $7::uuid[], $8::text[], $9::text[], $10::bigint[], $11::boolean[], $12::integer[])
      AS o (id, endpoint_id, notice_id, type, stream, revision, is_own, epoch)),
  deliveries AS (
    INSERT INTO webhook_deliveries (id, endpoint_id, notice_id, type, stream, revision, is_own, epoch, created_at_ms)
    SELECT id, endpoint_id, notice_id, type, stream, revision, is_own, epoch, $13 FROM owed
    ON CONFLICT (id) DO NOTHING),
  lanes AS (
    INSERT INTO webhook_lanes AS lane (endpoint_id, stream, due_at_ms, is_own, epoch)
    SELECT endpoint_id, stream, $13, bool_or(is_own), max(epoch) FROM owed GROUP BY endpoint_id, stream ORDER BY endpoint_id, stream
    ON CONFLICT (endpoint_id, stream) DO UPDATE
    SET version = lane.version + 1, epoch = excluded.epoch,
      due_at_ms = CASE WHEN lane.epoch < excluded.epoch THEN excluded.due_at_ms ELSE lane.due_at_ms END,
      down_in = CASE WHEN lane.epoch < excluded.epoch THEN NULL ELSE lane.down_in END,
      is_probing = lane.is_probing AND lane.epoch = excluded.epoch
    RETURNING 1),
  marks AS (INSERT INTO webhook_marks (at_ms, position) SELECT $13, $1 FROM moved WHERE $14 ON CONFLICT DO NOTHING),
  told AS (SELECT pg_notify('${deliveriesChannel}', '') FROM lanes LIMIT 1)
  SELECT EXISTS (SELECT 1 FROM moved) AS moved, (SELECT count(*) FROM told) AS told`;
