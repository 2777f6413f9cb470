import { Injectable } from '@nestjs/common';
import { asId, type Instant, type RunId, type RunKey, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import type { Segment } from './budget.events';

/** A segment that holds cents of a user's budget. */
export interface OpenReservation extends Segment {
  readonly userId: UserId;
  /** Since when, by the service clock. */
  readonly at: Instant;
}

/** Where a watchdog looks for reservations whose run was never admitted (decisions.md, section 3, "Headroom"). */
@Injectable()
export class OpenReservations {
  constructor(private readonly database: Database) {}

  /** At most `limit` of those that were opened before the instant and strictly after the one given last, the oldest first. */
  async openedBefore(
    before: Instant,
    { limit, after }: { readonly limit: number; readonly after?: Pick<OpenReservation, 'at' | 'runKey' | 'segment'> },
  ): Promise<OpenReservation[]> {
    const rows = await this.database.query<ReservationColumns>(
      `SELECT user_id, run_key, run_id, segment, at FROM budget_reservations
       WHERE status = 'open' AND at < $1 AND (at, run_key::text, segment) > ($2, $3, $4)
       ORDER BY at, run_key::text, segment LIMIT $5`,
      [before, after?.at ?? '', after?.runKey ?? '', after?.segment ?? 0, limit],
    );
    return rows.map(({ user_id, run_key, run_id, segment, at }) => ({
      userId: asId<UserId>(user_id),
      runKey: asId<RunKey>(run_key),
      runId: asId<RunId>(run_id),
      segment,
      at: asId<Instant>(at),
    }));
  }
}

interface ReservationColumns {
  readonly user_id: string;
  readonly run_key: string;
  readonly run_id: string;
  readonly segment: number;
  readonly at: string;
}
