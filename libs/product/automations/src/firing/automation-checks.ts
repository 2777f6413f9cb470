import { Injectable } from '@nestjs/common';
import type { AutomationId, Instant } from '@app/kernel';
import { Database } from '@app/read-store';
import type { UnresolvedReason } from '../condition/condition';
import type { Facts } from '../condition/readings';

/** Reasons that are kept of a check; a status shows the first. */
const reasonsKeptMax = 16;

export const checkOutcomes = ['matched', 'not_matched', 'unknown'] as const;

/** The outcome of the last look at a rule (specification, "lastCheck"). */
export interface AutomationCheck extends Facts {
  readonly at: Instant;
  /** The activation that looked. */
  readonly epoch: string;
  readonly condition: (typeof checkOutcomes)[number];
  /** Why it is unknown; in rule order. */
  readonly reasons: readonly UnresolvedReason[];
}

/** What was seen when a rule was looked at last. All throw Unavailable. */
@Injectable()
export class AutomationChecks {
  constructor(private readonly database: Database) {}

  /** Keeps it, unless a later one is there. */
  async record(automationId: AutomationId, check: AutomationCheck): Promise<void> {
    const { at, epoch, condition, facts, omittedFacts, reasons } = check;
    const kept = JSON.stringify(reasons.slice(0, reasonsKeptMax));
    await this.database.query(
      `INSERT INTO automation_checks AS c (automation_id, at, epoch, condition, facts, omitted_facts, reasons)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (automation_id) DO UPDATE SET at = excluded.at, epoch = excluded.epoch, condition = excluded.condition,
         facts = excluded.facts, omitted_facts = excluded.omitted_facts, reasons = excluded.reasons
       WHERE c.at <= excluded.at`,
      [automationId, at, epoch, condition, JSON.stringify(facts), omittedFacts, kept],
      'automation_checks.record',
    );
  }

  /** The last one, or null where the rule was never looked at. */
  async last(automationId: AutomationId): Promise<AutomationCheck | null> {
    const [row] = await this.database.query<AutomationCheck>(
      `SELECT at, epoch, condition, facts, omitted_facts AS "omittedFacts", reasons FROM automation_checks
       WHERE automation_id = $1`,
      [automationId],
      'automation_checks.last',
    );
    return row ?? null;
  }
}
