import { Injectable } from '@nestjs/common';
import { fingerprintOf } from '@app/canonical';
import { approvalTimer, approvalTimerId, fingerprintVersion, reviewedDocument } from '@app/consent';
import { asId, because, epochMsOf, instantOf, ok, refuse } from '@app/kernel';
import type { ApprovalId, AutomationId, Cause, Instant, JsonValue, Result, UserId } from '@app/kernel';
import { UserQuotas } from '@app/quotas';
import { Configuration } from '@app/settings';
import { Timers } from '@app/timers';
import { AgentWallets, type Token } from '@app/wallets';
import { v7 as uuidV7 } from 'uuid';
import type { AutomationDefinition } from '../definition/automation-definition';
import type { ContractReview } from '../automation/automation.commands';
import { automationKind } from '../automation/automation.stream';
import { contractConsent } from './rule-consent';
import { symbolIn, symbolsOf } from '../condition/token-symbols';
import { streamName } from '@app/event-store';

/** The owner and the circumstances of a definition. */
interface Defining {
  readonly userId: UserId;
  readonly automationId: AutomationId;
  readonly at: Instant;
  /** The provider's data of the tokens that the contract pins. */
  readonly tokens: readonly Token[];
  readonly cause: Cause;
}

/** Prepares the question to a user about an automation's contract, asked once for each contract (docs/decisions/automations.md). */
@Injectable()
export class ContractReviews {
  constructor(
    private readonly wallets: AgentWallets,
    private readonly timers: Timers,
    private readonly quotas: UserQuotas,
    private readonly configuration: Configuration,
  ) {}

  /**
   * The approval that the definition's contract needs, with the timer of its expiry; null where there is no contract.
   * Refuses with `automation_invalid` where the user's wallet cannot be used, or contract and rule cannot be shown
   * whole; with `rate_limited` where too many approvals wait for the user.
   * @throws Unavailable
   */
  async prepare(definition: AutomationDefinition, defining: Defining): Promise<Result<ContractReview | null>> {
    const { contract } = definition;
    if (contract === undefined) return ok(null);
    const { userId, automationId, at, tokens, cause } = defining;
    const wallet = await this.wallets.open(userId, cause);
    if (!wallet.ok) return refuse(because('automation_invalid'));
    const words = contractConsent(definition, contract, symbolIn(symbolsOf(tokens)));
    if (words === null) return refuse(because('automation_invalid'));
    const { walletId } = wallet.value;
    const approvalId = asId<ApprovalId>(uuidV7());
    const refusal = await this.quotas.reserve('pendingApprovals', { userId, id: approvalId });
    if (refusal !== null) return refuse(refusal);
    const expiresAt = instantOf(epochMsOf(at) + this.configuration.env.AUTOMATION_APPROVAL_SECONDS * 1000);
    const kind = 'automation_contract';
    const input = jsonOf(definition);
    const asked = { approvalId, kind, userId, walletId, tool: kind, input, contract, expiresAt } as const;
    const fingerprint = fingerprintOf(reviewedDocument({ ...asked, ...words, fingerprintVersion }));
    await this.timers.schedule(approvalTimer(approvalId, streamName(automationKind, automationId), expiresAt));
    return ok({ approvalId, automationId, walletId, fingerprint, fingerprintVersion, expiresAt, ...words });
  }

  /** Cancels the timer and frees the place of a review that was not opened. */
  async drop({ approvalId }: ContractReview): Promise<void> {
    await this.timers.cancel(approvalTimerId(approvalId));
    await this.quotas.release('pendingApprovals', approvalId);
  }
}

function jsonOf(value: AutomationDefinition): JsonValue {
  // Reason for the assertion: the definition was parsed from JSON; its interface does not say so.
  return value as unknown as JsonValue;
}
