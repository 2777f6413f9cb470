import { Injectable } from '@nestjs/common';
import { Database } from '@app/read-store';

/** Fate of an order submitted while the fault is set (docs/choices.md). */
export const submitFaults = [
  'ok',
  'reject',
  'refund',
  'timeout_before_accept',
  'timeout_after_accept',
  'quote_moved',
  'partial_fill',
  'not_found_first',
] as const;

export type SubmitFault = (typeof submitFaults)[number];

/** How the sandbox's wallet provider misbehaves (docs/decisions/sandbox.md, "Faults"). */
export interface ProviderFault {
  readonly submit: SubmitFault;
  /** From the acceptance of an order to its settlement, by the service clock. */
  readonly settleAfterSeconds: number;
  /** Every call fails as if unanswered. */
  readonly down: boolean;
  /** Setting it to true rejects all sessions that exist at that moment; connecting makes a session valid again. */
  readonly sessionRejected: boolean;
  /** Sends each settlement's notification twice. */
  readonly duplicateCallbacks: boolean;
  /** No token has a price. */
  readonly unpriced: boolean;
  /** No token has decimals. */
  readonly undescribed: boolean;
}

/** The wallet provider's faults: one row for the deployment, read at every call, so that a change takes effect everywhere at once. */
@Injectable()
export class ProviderFaults {
  constructor(private readonly database: Database) {}

  /** @throws Unavailable */
  async current(): Promise<ProviderFault> {
    return faultsIn(
      await this.database.query<FaultRow>(`SELECT value FROM sandbox_state WHERE name = 'provider_faults'`),
    );
  }

  /** Sets the given faults and keeps the others; returns all of them. @throws Unavailable */
  async change(change: Partial<ProviderFault>): Promise<ProviderFault> {
    return faultsIn(
      await this.database.query<FaultRow>(
        `WITH rejected AS (UPDATE sandbox_wallets SET session_rejected = true WHERE $2)
         UPDATE sandbox_state SET value = value || $1::jsonb WHERE name = 'provider_faults' RETURNING value`,
        [JSON.stringify(change), change.sessionRejected === true],
      ),
    );
  }
}

interface FaultRow {
  readonly value: ProviderFault;
}

function faultsIn([row]: readonly FaultRow[]): ProviderFault {
  if (row === undefined) throw new Error('the row of the provider’s faults is missing');
  return row.value;
}
