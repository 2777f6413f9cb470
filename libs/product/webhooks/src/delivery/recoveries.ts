import { Injectable } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Clock, epochMsOf } from '@app/kernel';
import { Notices, toldCategories, type Notice } from '@app/notices';
import { Database } from '@app/read-store';
import { deliveriesChannel, skewMs } from './delivery-tables';
import { FanOut, owedTo } from './fan-out';
import { deliveryId } from './fan-out-tables';
import { wants, type Target } from './fan-out-endpoints';

/** Events read between two writes. */
const pageEvents = 500;

interface RecoveryRow {
  readonly endpoint_id: string;
  readonly since_ms: number;
  readonly position: number;
}

/**
 * Runs the recoveries that operators requested: reads the store again from the requested time up to the fan-out's
 * position. Deliveries given up or canceled become pending again, and events that happened while the endpoint was
 * disabled get one; delivered ones are not touched. Continues where it was after a crash.
 */
@Injectable()
export class Recoveries {
  constructor(
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly notices: Notices,
    private readonly fanOut: FanOut,
    private readonly clock: Clock,
  ) {}

  /** Processes recoveries until done or aborted. Throws Unavailable. */
  async go(signal: AbortSignal): Promise<void> {
    const rows = await this.database.query<RecoveryRow>(
      'SELECT endpoint_id, since_ms, position FROM webhook_recoveries',
    );
    for (const row of rows) await this.recover(row, signal);
  }

  private async recover({ endpoint_id: endpointId, since_ms: sinceMs, position }: RecoveryRow, signal: AbortSignal) {
    for (let from = position; !signal.aborted;) {
      const target = this.fanOut.known.find((one) => one.endpointId === endpointId);
      const page = await this.store.readCategories(toldCategories, from, pageEvents);
      const isOver = target?.isEnabled !== true || !page.more || page.upTo >= this.fanOut.position;
      const notices = target === undefined ? [] : await this.wanted(target, page.events, sinceMs);
      if (target !== undefined) await this.record(target, notices, { from, to: page.upTo });
      if (isOver) {
        const at = [endpointId, target === undefined ? from : Math.max(from, page.upTo)];
        // Keeps the row if more was requested meanwhile.
        await this.database.query('DELETE FROM webhook_recoveries WHERE endpoint_id = $1 AND position = $2', at);
        return;
      }
      from = page.upTo;
    }
  }

  private async wanted(target: Target, events: Parameters<Notices['of']>[0], sinceMs: number): Promise<Notice[]> {
    const notices = await this.notices.of(events);
    return notices.filter((notice) => epochMsOf(notice.timestamp) >= sinceMs && wants(target, notice));
  }

  private async record(target: Target, notices: readonly Notice[], { from, to }: { from: number; to: number }) {
    const owed = notices.map((notice) => owedTo(target, notice));
    await this.database.query(statement, [
      target.endpointId,
      target.epoch,
      this.clock.epochMs(),
      owed.map(({ endpointId, noticeId }) => deliveryId(endpointId, noticeId)),
      owed.map(({ noticeId }) => noticeId),
      owed.map(({ type }) => type),
      owed.map(({ stream }) => stream),
      owed.map(({ revision }) => revision),
      notices.map(({ timestamp }) => epochMsOf(timestamp)),
      from,
      to,
    ]);
  }
}

const statement = `
  WITH owed AS (
    SELECT o.* FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::bigint[], $9::bigint[])
      AS o (id, notice_id, type, stream, revision, at_ms)
    -- An endpoint that was disabled meanwhile is owed nothing.
    WHERE EXISTS (SELECT 1 FROM webhook_targets WHERE endpoint_id = $1 AND epoch = $2 AND is_enabled)),
  revived AS (
    UPDATE webhook_deliveries AS d
    SET state = 'pending', attempts = 0, failed_in = NULL, finished_at_ms = NULL, epoch = $2
    FROM owed WHERE d.id = owed.id AND (d.state IN ('given_up', 'canceled') OR (d.state = 'pending' AND d.epoch < $2))
    RETURNING d.stream),
  added AS (
    INSERT INTO webhook_deliveries (id, endpoint_id, notice_id, type, stream, revision, is_own, epoch, created_at_ms)
    SELECT o.id, $1, o.notice_id, o.type, o.stream, o.revision, false, $2, $3 FROM owed AS o
    WHERE EXISTS (
      SELECT 1 FROM webhook_gaps AS g
      WHERE g.endpoint_id = $1 AND o.at_ms >= g.from_ms - ${skewMs} AND o.at_ms <= g.to_ms + ${skewMs})
    ON CONFLICT (id) DO NOTHING RETURNING stream),
  lanes AS (
    INSERT INTO webhook_lanes AS lane (endpoint_id, stream, due_at_ms, is_own, epoch)
    SELECT $1, stream, $3, false, $2 FROM (SELECT stream FROM revived UNION SELECT stream FROM added) AS streams ORDER BY stream
    ON CONFLICT (endpoint_id, stream) DO UPDATE
    SET version = lane.version + 1, epoch = excluded.epoch, due_at_ms = least(lane.due_at_ms, excluded.due_at_ms),
      is_probing = false
    RETURNING 1),
  moved AS (
    UPDATE webhook_recoveries SET position = greatest(position, $11::bigint) WHERE endpoint_id = $1 AND position = $10),
  told AS (SELECT pg_notify('${deliveriesChannel}', '') FROM lanes LIMIT 1)
  SELECT (SELECT count(*) FROM told) AS told`;
