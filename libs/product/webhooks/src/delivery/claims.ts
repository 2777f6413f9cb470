import { Injectable } from '@nestjs/common';
import type { EndpointId } from '@app/kernel';
import type { PayloadKind } from '@app/notices';
import { Database, processGoneMs, Processes } from '@app/read-store';
import { v7 as uuidV7 } from 'uuid';

/** Lifetime of a claim. Real time; longer than an attempt takes. */
export const leaseMs = 30_000;
/** Maximum number of attempts in flight for one endpoint in one process, and while the endpoint fails. */
const atOnceMax = 8;
const atOnceFailing = 1;

/** The delivery to attempt: the first of its lane or, for a probe (`isProbe`), the second. */
export interface Head {
  readonly id: string;
  readonly noticeId: string;
  readonly type: string;
  readonly revision: number;
  readonly attempts: number;
  readonly failedIn: number | null;
  readonly createdAtMs: number;
}

/** A lane that this process may attempt until its lease ends. */
export interface Claim {
  readonly endpointId: EndpointId;
  readonly stream: string;
  readonly url: string;
  readonly payload: PayloadKind;
  readonly isOwn: boolean;
  readonly isProbe: boolean;
  /** Version of the lane when it was claimed; each addition to the lane increments it. */
  readonly version: number;
  readonly lease: string;
  /** On this process's monotonic clock. */
  readonly claimedAtMs: number;
  /** Null: nothing is pending any more. */
  readonly head: Head | null;
}

/** A claim as it is read: the head's columns next to the lane's, without an id where nothing is pending. */
type ClaimRow = Omit<Claim, 'lease' | 'claimedAtMs' | 'head'> & Omit<Head, 'id'> & { readonly id: string | null };

/**
 * Claims lanes that are due. Several processes do so concurrently: none waits for another, and no lane is claimed
 * twice. Throws Unavailable.
 */
@Injectable()
export class Claims {
  constructor(
    private readonly database: Database,
    private readonly processes: Processes,
  ) {}

  /** @param busy number of attempts in flight in this process, by endpoint */
  async take(nowMs: number, busy: ReadonlyMap<string, number>): Promise<Claim[]> {
    const [lease, claimedAtMs] = [uuidV7(), performance.now()];
    const rows = await this.database.query<ClaimRow>(
      statement,
      [this.processes.id, nowMs, lease, [...busy.keys()], [...busy.values()]],
      'webhook_lanes.claim',
    );
    return rows.map(({ id, noticeId, type, revision, attempts, failedIn, createdAtMs, ...lane }) => {
      const head = id === null ? null : { id, noticeId, type, revision, attempts, failedIn, createdAtMs };
      return { ...lane, lease, claimedAtMs, head };
    });
  }
}

/** Ignores the claims of processes that are gone, and expired ones. */
const statement = `
  WITH due AS (
    SELECT t.endpoint_id, t.url, t.payload, t.epoch, due.stream FROM webhook_targets AS t
    LEFT JOIN unnest($4::uuid[], $5::integer[]) AS busy (endpoint_id, count) ON busy.endpoint_id = t.endpoint_id
    CROSS JOIN LATERAL (
      SELECT l.stream FROM webhook_lanes AS l
      WHERE l.endpoint_id = t.endpoint_id AND l.due_at_ms <= $2
        AND (l.is_own OR (t.is_enabled AND coalesce(t.resting_until <= now(), true)))
        AND (l.lease IS NULL OR l.leased_until <= now() OR NOT EXISTS (
          SELECT 1 FROM processes AS p WHERE p.id = l.claimed_by AND p.heartbeat_at > now() - interval '${processGoneMs} ms'))
      ORDER BY l.due_at_ms
      LIMIT greatest(0, CASE WHEN t.failures > 0 THEN ${atOnceFailing} ELSE ${atOnceMax} END - coalesce(busy.count, 0))
      FOR UPDATE SKIP LOCKED) AS due
    WHERE NOT t.is_deleted),
  claimed AS (
    UPDATE webhook_lanes AS l SET lease = $3, claimed_by = $1, leased_until = now() + interval '${leaseMs} ms'
    FROM due WHERE l.endpoint_id = due.endpoint_id AND l.stream = due.stream
    RETURNING l.endpoint_id, l.stream, l.is_own, l.is_probing, l.version, due.url, due.payload, due.epoch)
  SELECT c.endpoint_id AS "endpointId", c.stream, c.url, c.payload, c.is_own AS "isOwn", c.is_probing AS "isProbe", c.version,
    head.id, head.notice_id AS "noticeId", head.type, head.revision, head.attempts, head.failed_in AS "failedIn",
    head.created_at_ms AS "createdAtMs"
  FROM claimed AS c LEFT JOIN LATERAL (
    SELECT d.id, d.notice_id, d.type, d.revision, d.attempts, d.failed_in, d.created_at_ms FROM webhook_deliveries AS d
    WHERE d.endpoint_id = c.endpoint_id AND d.stream = c.stream AND d.state = 'pending' AND (c.is_own OR d.epoch = c.epoch)
    ORDER BY d.revision OFFSET c.is_probing::integer LIMIT 1) AS head ON true`;
