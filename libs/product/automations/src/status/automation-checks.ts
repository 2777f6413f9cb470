import { Injectable } from '@nestjs/common';
import {
  openOr,
  type AutomationId,
  type Instant,
  type JsonValue,
  type Personal,
  type Sealed,
  type UserId,
} from '@app/kernel';
import { Database } from '@app/read-store';
import { GroupLoader } from '@app/runtime';
import { KeyRing, openMembers, sealedForUser, sealValue } from '@app/sealing';
import { v7 as uuidV7 } from 'uuid';
import type { UnresolvedReason } from '../condition/condition';
import type { Fact, Facts } from '../condition/readings';

/** Maximum number of reasons stored of a check; a status shows the first. */
const reasonsKeptMax = 16;

/** Maximum number of checks in one statement, and of those that wait for a statement. */
const grouped = { batchMax: 200, waitingMax: 10_000 } as const;

export const checkOutcomes = ['matched', 'not_matched', 'unknown'] as const;

/** The outcome of the last evaluation of a rule (specification, "lastCheck"). */
export interface AutomationCheck extends Facts {
  readonly at: Instant;
  /** The activation that evaluated the rule. */
  readonly epoch: string;
  readonly condition: (typeof checkOutcomes)[number];
  /** Why the condition is unknown; in rule order. */
  readonly reasons: readonly UnresolvedReason[];
}

/** A check as the table holds it: its facts may be values of the user's events, so they are sealed. */
interface StoredCheck extends Omit<AutomationCheck, 'facts'> {
  readonly facts: Personal<readonly Fact[]>;
}

interface KeptCheck {
  readonly automationId: AutomationId;
  readonly check: StoredCheck & { readonly facts: Sealed };
}

/** Stores the last check of each rule; concurrent ones share a statement. All methods throw Unavailable. */
@Injectable()
export class AutomationChecks {
  private readonly checks = new GroupLoader<KeptCheck, null>((checks) => this.recordAll(checks), grouped);

  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
  ) {}

  /** Stores a check of a user's automation unless a later one is stored. */
  async record(userId: UserId, automationId: AutomationId, check: AutomationCheck): Promise<void> {
    const sealedFor = sealedForUser(userId);
    const place = { keyId: sealedFor.keyId, eventId: uuidV7(), path: 'facts' };
    // Reason for the assertion: facts are JSON; their interface does not say so.
    const facts = sealValue(await this.keys.keyOf(sealedFor), place, check.facts as unknown as JsonValue);
    await this.checks.load({ automationId, check: { ...check, facts } });
  }

  private async recordAll(checks: readonly KeptCheck[]): Promise<null[]> {
    // The last one of each automation, because a statement can change a row only once.
    const last = [...new Map(checks.map((one) => [one.automationId, one])).values()];
    await this.database.query(
      `INSERT INTO automation_checks AS c (automation_id, at, epoch, condition, facts, omitted_facts, reasons)
       SELECT * FROM unnest($1::uuid[], $2::text[], $3::uuid[], $4::text[], $5::json[], $6::integer[], $7::json[])
       ON CONFLICT (automation_id) DO UPDATE SET at = excluded.at, epoch = excluded.epoch, condition = excluded.condition,
         facts = excluded.facts, omitted_facts = excluded.omitted_facts, reasons = excluded.reasons
       WHERE c.at <= excluded.at`,
      [
        last.map(({ automationId }) => automationId),
        last.map(({ check }) => check.at),
        last.map(({ check }) => check.epoch),
        last.map(({ check }) => check.condition),
        last.map(({ check }) => JSON.stringify(check.facts)),
        last.map(({ check }) => check.omittedFacts),
        last.map(({ check }) => JSON.stringify(check.reasons.slice(0, reasonsKeptMax))),
      ],
      'automation_checks.record',
    );
    return checks.map(() => null);
  }

  /** The last check, or null where the rule was never evaluated. */
  async last(automationId: AutomationId): Promise<AutomationCheck | null> {
    const rows = await this.database.query<StoredCheck>(
      `SELECT at, epoch, condition, facts, omitted_facts AS "omittedFacts", reasons FROM automation_checks
       WHERE automation_id = $1`,
      [automationId],
      'automation_checks.last',
    );
    const [check] = await openMembers(this.keys, rows, ['facts']);
    return check === undefined ? null : { ...check, facts: openOr(check.facts, []) };
  }
}
