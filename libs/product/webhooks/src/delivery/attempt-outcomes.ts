import { Injectable } from '@nestjs/common';
import { Database } from '@app/read-store';
import { GroupLoader } from '@app/runtime';
import type { Claim, Head } from './claims';
import { recoveriesChannel } from './delivery-tables';
import { applyOutcome, type Consequence, type Health, type Outcome } from './retry-policy';

/** Maximum number of successes that one statement records, and that wait for one. */
const grouped = { batchMax: 200, waitingMax: 10_000 } as const;

/** A claim with a delivery to attempt. */
export type Attempt = Claim & { readonly head: Head };

/** A successful attempt, and when it was made. */
interface Success {
  readonly attempt: Attempt;
  readonly status: number;
  readonly nowMs: number;
}

/** Records the outcomes of attempts while their claims are valid. Every method throws Unavailable. */
@Injectable()
export class AttemptOutcomes {
  private readonly successes = new GroupLoader<Success, boolean>((given) => this.recordSuccesses(given), grouped);

  constructor(private readonly database: Database) {}

  /** @returns the consequence; null if the claim is no longer valid, and another process attempts the delivery again */
  async outcome(attempt: Attempt, outcome: Outcome, nowMs: number, random: number): Promise<Consequence | null> {
    if (outcome.kind === 'delivered' && (await this.successes.load({ attempt, status: outcome.status, nowMs })))
      return applyOutcome({ ...seen(attempt), hasNext: false }, healthy, outcome, { nowMs, random });
    return this.database.transaction(async (manager) => {
      const target: Health[] = await manager.query(
        'SELECT failures, failing_since_ms AS "failingSinceMs", period FROM webhook_targets WHERE endpoint_id = $1 FOR UPDATE',
        [attempt.endpointId],
      );
      const lane: { version: number; next: boolean }[] = await manager.query(heldLane, [
        ...keyOf(attempt),
        attempt.head.id,
      ]);
      const [found] = target;
      const [held] = lane;
      if (found === undefined || held === undefined) return null;
      const attempted = { ...seen(attempt), hasNext: held.next };
      const consequence = applyOutcome(attempted, found, outcome, { nowMs, random });
      const isChanged = held.version !== attempt.version;
      for (const [sql, values] of statements(attempt, outcome, { consequence, isChanged, hasNext: held.next, nowMs }))
        await manager.query(sql, values);
      return consequence;
    });
  }

  /** Releases a lane without an attempt, due again at the given time; deletes it if nothing is pending in it. */
  async release({ endpointId, stream, lease, version, head }: Claim, dueAtMs: number): Promise<void> {
    const key = [endpointId, stream, lease];
    if (head === null)
      await this.database.query(`DELETE FROM webhook_lanes WHERE ${ours} AND version = $4 AND NOT is_probing`, [
        ...key,
        version,
      ]);
    await this.database.query(
      `UPDATE webhook_lanes SET lease = NULL, claimed_by = NULL, leased_until = NULL, is_probing = false, due_at_ms = $4 WHERE ${ours}`,
      [...key, dueAtMs],
    );
  }

  /** Cancels a delivery whose event is no longer a notice. */
  async cancel(attempt: Attempt, nowMs: number): Promise<void> {
    await this.database.query(
      `UPDATE webhook_deliveries SET state = 'canceled', finished_at_ms = $5
       WHERE id = $4 AND EXISTS (SELECT 1 FROM webhook_lanes WHERE ${ours})`,
      [...keyOf(attempt), attempt.head.id, nowMs],
    );
    await this.release(attempt, nowMs);
  }

  /** Records successes at endpoints that do not fail, in one statement. @returns for each whether it was recorded */
  private async recordSuccesses(given: readonly Success[]): Promise<boolean[]> {
    const rows = await this.database.query<{ id: string }>(
      recordSuccesses,
      [
        given.map(({ attempt }) => attempt.endpointId),
        given.map(({ attempt }) => attempt.stream),
        given.map(({ attempt }) => attempt.lease),
        given.map(({ attempt }) => attempt.version),
        given.map(({ attempt }) => attempt.head.id),
        given.map(({ status }) => status),
        given.map(({ nowMs }) => nowMs),
      ],
      'webhook_deliveries.delivered',
    );
    const recorded = new Set(rows.map(({ id }) => id));
    return given.map(({ attempt }) => recorded.has(attempt.head.id));
  }
}

const healthy: Health = { failures: 0, failingSinceMs: null, period: 0 };
const ours = 'endpoint_id = $1 AND stream = $2 AND lease = $3';

const heldLane = `
  SELECT version, EXISTS (
    SELECT 1 FROM webhook_deliveries AS d JOIN webhook_targets AS t USING (endpoint_id)
    WHERE d.endpoint_id = l.endpoint_id AND d.stream = l.stream AND d.state = 'pending' AND d.epoch = t.epoch AND d.id <> $4) AS next
  FROM webhook_lanes AS l WHERE ${ours} FOR UPDATE`;

/** If a crash of PostgreSQL undoes this, the messages are sent again. Lanes are locked in their order, as in the fan-out. */
const recordSuccesses = `
  WITH unhurried AS (SELECT set_config('synchronous_commit', 'off', true)),
  given AS (
    SELECT g.* FROM unhurried, unnest($1::uuid[], $2::text[], $3::uuid[], $4::integer[], $5::uuid[], $6::integer[], $7::bigint[])
      AS g (endpoint_id, stream, lease, version, id, status, now_ms)),
  held AS (
    SELECT g.*, l.version AS present FROM given AS g
    JOIN webhook_lanes AS l ON l.endpoint_id = g.endpoint_id AND l.stream = g.stream AND l.lease = g.lease
    JOIN webhook_targets AS t ON t.endpoint_id = g.endpoint_id
    WHERE t.failures = 0
    ORDER BY g.endpoint_id, g.stream FOR UPDATE OF l),
  delivered AS (
    UPDATE webhook_deliveries AS d
    SET state = 'delivered', attempts = d.attempts + 1, last_at_ms = held.now_ms, last_status = held.status, last_failure = NULL,
      finished_at_ms = held.now_ms
    FROM held WHERE d.id = held.id RETURNING d.id),
  after AS (
    SELECT held.*, held.present <> held.version OR EXISTS (
      SELECT 1 FROM webhook_deliveries AS d
      WHERE d.endpoint_id = held.endpoint_id AND d.stream = held.stream AND d.state = 'pending' AND d.id <> held.id) AS goes_on
    FROM held),
  going_on AS (
    UPDATE webhook_lanes AS l
    SET lease = NULL, claimed_by = NULL, leased_until = NULL, due_at_ms = after.now_ms, down_in = NULL, is_probing = false
    FROM after WHERE l.endpoint_id = after.endpoint_id AND l.stream = after.stream AND after.goes_on),
  done AS (
    DELETE FROM webhook_lanes AS l USING after
    WHERE l.endpoint_id = after.endpoint_id AND l.stream = after.stream AND NOT after.goes_on)
  SELECT id FROM delivered`;

function seen({ head, isOwn, isProbe }: Attempt) {
  return { attempts: head.attempts, failedIn: head.failedIn, isOwn, isProbe };
}

function keyOf({ endpointId, stream, lease }: Claim): unknown[] {
  return [endpointId, stream, lease];
}

interface Recording {
  readonly consequence: Consequence;
  readonly isChanged: boolean;
  readonly hasNext: boolean;
  readonly nowMs: number;
}

/** Statements that record a consequence; the lane and the target must be locked. */
function* statements(attempt: Attempt, outcome: Outcome, recording: Recording): Generator<[string, unknown[]]> {
  const { consequence, isChanged, hasNext, nowMs } = recording;
  const { delivery, lane, health, recovered, restMs } = consequence;
  const failure = outcome.kind === 'failed' ? outcome.failure : null;
  yield [
    `UPDATE webhook_deliveries SET state = $2, attempts = $3, failed_in = $4, last_at_ms = $5, last_status = $6, last_failure = $7,
       finished_at_ms = CASE WHEN $2 = 'pending' THEN NULL ELSE $5::bigint END WHERE id = $1`,
    [attempt.head.id, delivery.state, delivery.attempts, delivery.failedIn, nowMs, outcome.status, failure],
  ];
  const isOver = delivery.state !== 'pending' && !hasNext && !isChanged;
  yield isOver
    ? [`DELETE FROM webhook_lanes WHERE ${ours}`, keyOf(attempt)]
    : [
        `UPDATE webhook_lanes SET lease = NULL, claimed_by = NULL, leased_until = NULL, due_at_ms = $4, is_probing = $5, down_in = $6
         WHERE ${ours}`,
        [...keyOf(attempt), nowMs + lane.dueInMs, lane.isProbing, lane.downIn],
      ];
  yield [
    `UPDATE webhook_targets SET failures = $2, failing_since_ms = $3, period = $4,
       waking_from = CASE WHEN $5 THEN coalesce(waking_from, period) ELSE waking_from END,
       resting_until = CASE WHEN $6::integer > 0 THEN now() + $6::integer * interval '1 ms' END
     WHERE endpoint_id = $1`,
    [attempt.endpointId, health.failures, health.failingSinceMs, health.period, recovered, restMs],
  ];
  if (recovered) yield [`SELECT pg_notify('${recoveriesChannel}', '')`, []];
}
