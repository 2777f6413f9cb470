import { Injectable, Logger } from '@nestjs/common';
import { Clock, failureWords } from '@app/kernel';
import { Database, Notifications, Processes, type BackgroundWork } from '@app/read-store';
import { setTimeout as sleep } from 'node:timers/promises';
import { deliveredKeptMs, deliveriesChannel, finishedKeptMs, marksKeptMs, recoveriesChannel } from './delivery-tables';
import { Recoveries } from './recoveries';

/** Maximum number of rows that one statement changes, so that nothing else waits long for their locks. */
const pageRows = 1_000;
/** Real time. */
const lookEveryMs = 1_000;
const forgetEveryMs = 60_000;

/**
 * Maintains deliveries: wakes lanes of recovered endpoints, cancels obsolete deliveries, deletes old ones, runs
 * recoveries. All in pages, by the process that leads; can be interrupted anywhere.
 */
@Injectable()
export class Housekeeping {
  private readonly logger = new Logger(Housekeeping.name);
  private forgotAtMs = -Infinity;

  private readonly health: BackgroundWork;

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
    private readonly recoveries: Recoveries,
    private readonly clock: Clock,
    processes: Processes,
  ) {
    this.health = processes.watches('webhook tables');
  }

  /** Runs until the signal aborts. Never throws. @param isNeeded whether there are endpoints or remains of deleted ones */
  async keep(signal: AbortSignal, isNeeded: () => boolean): Promise<void> {
    let wake = (): void => undefined;
    const stopListening = this.notifications.on(recoveriesChannel, () => wake());
    while (!signal.aborted) {
      const woken = new AbortController();
      wake = () => woken.abort();
      if (isNeeded()) await this.lookThrough(signal);
      const ended = AbortSignal.any([signal, woken.signal]);
      await sleep(lookEveryMs, undefined, { signal: ended }).catch(() => undefined); // woken, or aborted
    }
    stopListening();
  }

  private async lookThrough(signal: AbortSignal): Promise<void> {
    try {
      await this.look(signal);
      this.health.succeeded();
    } catch (error) {
      this.health.failed();
      this.logger.warn(`webhooks were not checked: ${failureWords(error)}`);
    }
  }

  private async look(signal: AbortSignal): Promise<void> {
    await this.inPages(signal, wakeLanes, [this.clock.epochMs()]);
    await this.database.query(wokenTargets);
    await this.inPages(signal, cancelStale, [this.clock.epochMs()]);
    await this.inPages(signal, removeStaleLanes, []);
    await this.database.query(freshTargets);
    await this.inPages(signal, removeDeliveries, []);
    await this.database.query(removeDeleted);
    await this.recoveries.go(signal);
    if (performance.now() - this.forgotAtMs < forgetEveryMs) return;
    const nowMs = this.clock.epochMs();
    await this.inPages(signal, forget("'delivered'"), [nowMs - deliveredKeptMs]);
    await this.inPages(signal, forget("'given_up', 'canceled'"), [nowMs - finishedKeptMs]);
    await this.database.query('DELETE FROM webhook_marks WHERE at_ms < $1', [nowMs - marksKeptMs]);
    await this.database.query('DELETE FROM webhook_gaps WHERE to_ms < $1', [nowMs - marksKeptMs]);
    this.forgotAtMs = performance.now();
  }

  /** Repeats a statement until it changes less than a page. */
  private async inPages(signal: AbortSignal, sql: string, parameters: readonly unknown[]): Promise<void> {
    for (let isMore = true; isMore && !signal.aborted;) {
      const [page] = await this.database.query<{ changed: number }>(sql, parameters);
      isMore = (page?.changed ?? 0) >= pageRows;
    }
  }
}

/** Lanes that failed while an endpoint accepted nothing become due, once, when it accepts something again. */
const wakeLanes = `
  WITH page AS (
    SELECT l.endpoint_id, l.stream FROM webhook_targets AS t JOIN webhook_lanes AS l USING (endpoint_id)
    WHERE t.waking_from IS NOT NULL AND l.down_in >= t.waking_from AND l.down_in < t.period
    ORDER BY l.endpoint_id, l.stream LIMIT ${pageRows} FOR UPDATE OF l SKIP LOCKED),
  woken AS (
    UPDATE webhook_lanes AS l SET due_at_ms = least(l.due_at_ms, $1), down_in = NULL, is_probing = false
    FROM page WHERE l.endpoint_id = page.endpoint_id AND l.stream = page.stream RETURNING 1),
  told AS (SELECT pg_notify('${deliveriesChannel}', '') FROM woken LIMIT 1)
  SELECT (SELECT count(*) FROM woken)::integer AS changed, (SELECT count(*) FROM told) AS told`;

const wokenTargets = `
  UPDATE webhook_targets AS t SET waking_from = NULL
  WHERE t.waking_from IS NOT NULL AND NOT EXISTS (
    SELECT 1 FROM webhook_lanes AS l WHERE l.endpoint_id = t.endpoint_id AND l.down_in >= t.waking_from AND l.down_in < t.period)`;

/** Deliveries created before their endpoint was last disabled. */
const cancelStale = `
  WITH page AS (
    SELECT d.id FROM webhook_targets AS t JOIN webhook_deliveries AS d USING (endpoint_id)
    WHERE t.is_stale AND d.state = 'pending' AND NOT d.is_own AND d.epoch < t.epoch ORDER BY d.endpoint_id, d.seq LIMIT ${pageRows}),
  canceled AS (
    UPDATE webhook_deliveries AS d SET state = 'canceled', finished_at_ms = $1
    FROM page WHERE d.id = page.id AND d.state = 'pending' RETURNING 1)
  SELECT count(*)::integer AS changed FROM canceled`;

const removeStaleLanes = `
  WITH page AS (
    SELECT l.endpoint_id, l.stream FROM webhook_targets AS t JOIN webhook_lanes AS l USING (endpoint_id)
    WHERE t.is_stale AND NOT l.is_own AND l.epoch < t.epoch ORDER BY l.endpoint_id, l.stream LIMIT ${pageRows} FOR UPDATE OF l),
  removed AS (
    DELETE FROM webhook_lanes AS l USING webhook_targets AS t, page
    WHERE l.endpoint_id = page.endpoint_id AND l.stream = page.stream AND t.endpoint_id = l.endpoint_id AND l.epoch < t.epoch RETURNING 1)
  SELECT count(*)::integer AS changed FROM removed`;

const freshTargets = `
  UPDATE webhook_targets AS t SET is_stale = false
  WHERE t.is_stale AND NOT t.is_deleted
    AND NOT EXISTS (
      SELECT 1 FROM webhook_deliveries AS d
      WHERE d.endpoint_id = t.endpoint_id AND d.state = 'pending' AND NOT d.is_own AND d.epoch < t.epoch)
    AND NOT EXISTS (SELECT 1 FROM webhook_lanes AS l WHERE l.endpoint_id = t.endpoint_id AND NOT l.is_own AND l.epoch < t.epoch)`;

const removeDeliveries = `
  WITH page AS (
    SELECT d.id FROM webhook_targets AS t JOIN webhook_deliveries AS d USING (endpoint_id)
    WHERE t.is_deleted ORDER BY d.endpoint_id, d.seq LIMIT ${pageRows}),
  removed AS (DELETE FROM webhook_deliveries AS d USING page WHERE d.id = page.id RETURNING 1)
  SELECT count(*)::integer AS changed FROM removed`;

/** Remains of endpoints that were deleted. */
const removeDeleted = `
  WITH gone AS (SELECT endpoint_id FROM webhook_targets WHERE is_deleted),
  gaps AS (DELETE FROM webhook_gaps WHERE endpoint_id IN (SELECT endpoint_id FROM gone)),
  recoveries AS (DELETE FROM webhook_recoveries WHERE endpoint_id IN (SELECT endpoint_id FROM gone)),
  lanes AS (DELETE FROM webhook_lanes WHERE endpoint_id IN (SELECT endpoint_id FROM gone) AND is_own)
  DELETE FROM webhook_targets AS t
  WHERE t.is_deleted
    AND NOT EXISTS (SELECT 1 FROM webhook_deliveries AS d WHERE d.endpoint_id = t.endpoint_id)
    AND NOT EXISTS (SELECT 1 FROM webhook_lanes AS l WHERE l.endpoint_id = t.endpoint_id)`;

/** Deliveries that ended in these states before $1; the states are literals, which the index of finished ones needs. */
const forget = (states: string): string => `
  WITH page AS (SELECT id FROM webhook_deliveries WHERE state IN (${states}) AND finished_at_ms < $1 LIMIT ${pageRows}),
  forgotten AS (DELETE FROM webhook_deliveries AS d USING page WHERE d.id = page.id AND d.state IN (${states}) RETURNING 1)
  SELECT count(*)::integer AS changed FROM forgotten`;
