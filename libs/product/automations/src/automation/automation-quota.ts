import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import { asId, type AutomationId, type UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { Configuration } from '@app/settings';
import { automationKind } from './automation.stream';

/** A place whose automation does not exist after this time (by the database's clock) is released. No request takes nearly as long. */
const abandonedAfter = '10 minutes';
/** Maximum number of abandoned places that are examined at once. */
const abandonedAtOnceMax = 100;

const removeCounted = `
  DELETE FROM automation_places AS p USING {automations} AS a WHERE p.user_id = $1 AND a.id = p.automation_id`;
const takePlace = `
  INSERT INTO automation_places (automation_id, user_id)
  SELECT $1, $2::uuid
  WHERE (SELECT coalesce(sum(total), 0) FROM list_counters
         WHERE name IN ('{automations}/' || $2::uuid || '/enabled', '{automations}/' || $2::uuid || '/paused'))
      + (SELECT count(*) FROM automation_places AS p WHERE p.user_id = $2::uuid
         AND NOT EXISTS (SELECT 1 FROM {automations} AS a WHERE a.id = p.automation_id)) < $3
  ON CONFLICT (automation_id) DO NOTHING`;

/**
 * Limits users to `AUTOMATIONS_PER_USER`, even for many concurrent creations on many replicas: each creation first
 * takes a place, and a user's creations do so one at a time. An automation counts by its place until the read model has
 * it, and by the read model's counters afterwards.
 */
@Injectable()
export class AutomationQuota {
  constructor(
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly states: FoldedStates,
    private readonly configuration: Configuration,
  ) {}

  /** Whether there is a place for one more. Taking the same place again changes nothing. @throws Unavailable */
  async reserve(userId: UserId, automationId: AutomationId): Promise<boolean> {
    if (await this.tryReserve(userId, automationId)) return true;
    // An automation that was just archived, or never created, may still be counted.
    await this.gate.caughtUp();
    await this.dropAbandoned(userId);
    return this.tryReserve(userId, automationId);
  }

  /** Releases the place of an automation that was refused. */
  async release(automationId: AutomationId): Promise<void> {
    await this.database.query('DELETE FROM automation_places WHERE automation_id = $1', [automationId]);
  }

  private async tryReserve(userId: UserId, automationId: AutomationId): Promise<boolean> {
    return this.database.transaction(async (manager) => {
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`automations/${userId}`]);
      await manager.query(this.database.inTables(removeCounted), [userId]);
      const { AUTOMATIONS_PER_USER: limit } = this.configuration.env;
      await manager.query(this.database.inTables(takePlace), [automationId, userId, limit]);
      const taken: unknown[] = await manager.query('SELECT 1 FROM automation_places WHERE automation_id = $1', [
        automationId,
      ]);
      return taken.length > 0;
    });
  }

  private async dropAbandoned(userId: UserId): Promise<void> {
    const old = await this.database.query<{ id: string }>(
      `SELECT automation_id AS id FROM automation_places
       WHERE user_id = $1 AND taken_at < now() - $2::interval LIMIT $3`,
      [userId, abandonedAfter, abandonedAtOnceMax],
    );
    for (const { id } of old) {
      const { state } = await this.states.fresh(automationKind, id);
      if (state === null) await this.release(asId<AutomationId>(id));
    }
  }
}
