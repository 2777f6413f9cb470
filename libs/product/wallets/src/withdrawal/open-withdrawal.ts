import { Injectable } from '@nestjs/common';
import { fingerprintOf } from '@app/canonical';
import { approvalTimer, contractWords, fingerprintVersion, reviewedDocument, type Contract } from '@app/consent';
import { streamName, Streams } from '@app/event-store';
import { asId, Clock, instantOf, ok, refuse } from '@app/kernel';
import type { ApprovalId, Cause, OperationId, Refusal, Result, UserId, WalletId } from '@app/kernel';
import { UserQuotas } from '@app/quotas';
import { Configuration } from '@app/settings';
import { Timers } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import type { PrepareWithdrawal as Prepare } from '../operation/operation.decider';
import { operationKind } from '../operation/operation.stream';
import type { Holding } from '../provider/wallet-provider';
import type { PreparedWithdrawal } from './withdrawal.schema';

/** A contract over one exact amount of one token. */
export interface ExactWithdrawal extends Contract {
  readonly actions: readonly [
    {
      readonly kind: 'withdraw_to_owner';
      readonly input: { readonly pinned: { readonly tokenId: string; readonly decimals: number } };
      readonly quantity: { readonly kind: 'exact_input_tokens'; readonly amountRaw: string };
    },
  ];
}

/** A withdrawal that the wallet can make, and the account that receives it. */
interface ReviewedWithdrawal {
  readonly userId: UserId;
  readonly mainAccountId: string;
  readonly cause: Cause;
  readonly walletId: WalletId;
  readonly holding: Holding;
  readonly contract: ExactWithdrawal;
}

interface Ids {
  readonly operationId: OperationId;
  readonly approvalId: ApprovalId;
}

/** Opens a withdrawal and its approval, subject to the user's quotas of both. */
@Injectable()
export class OpenWithdrawal {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
    private readonly quotas: UserQuotas,
    private readonly timers: Timers,
  ) {}

  /** Refuses with `rate_limited` if a quota of the user is used up. @throws Unavailable when a store does not answer */
  async open(withdrawal: ReviewedWithdrawal): Promise<Result<PreparedWithdrawal>> {
    const ids = { operationId: asId<OperationId>(uuidV7()), approvalId: asId<ApprovalId>(uuidV7()) };
    const refusal = await this.takePlaces(withdrawal.userId, ids);
    return refusal === null ? ok(await this.record(withdrawal, ids)) : refuse(refusal);
  }

  /** Returns null, or the refusal of the quota that is used up. */
  private async takePlaces(userId: UserId, { operationId, approvalId }: Ids): Promise<Refusal | null> {
    const refusal = await this.quotas.reserve('preparedWithdrawals', { userId, id: operationId });
    if (refusal !== null) return refusal;
    const other = await this.quotas.reserve('pendingApprovals', { userId, id: approvalId });
    if (other !== null) await this.quotas.release('preparedWithdrawals', operationId);
    return other;
  }

  /** Schedules the expiry timer before the append, so that moving the clock cannot skip an approval. */
  private async record(
    { userId, mainAccountId, cause, walletId, holding, contract }: ReviewedWithdrawal,
    { operationId, approvalId }: Ids,
  ): Promise<PreparedWithdrawal> {
    const nowMs = this.clock.epochMs();
    const expiresAt = instantOf(nowMs + this.configuration.env.WITHDRAWAL_APPROVAL_SECONDS * 1000);
    const origin = { conversationId: null, runId: null, automationId: null };
    const terms = { approvalId, userId, walletId, contract, mainAccountId, expiresAt };
    const input = { tokenId: holding.tokenId, amountRaw: contract.actions[0].quantity.amountRaw };
    const words = contractWords(contract, () => holding.symbol);
    if (words === null) throw new Error('one withdrawal does not fit into a summary');
    const asked = { ...terms, kind: 'withdrawal', tool: 'wallet_withdrawal', input, ...words } as const;
    const fingerprint = fingerprintOf(reviewedDocument({ ...asked, fingerprintVersion }));
    const command: Prepare = {
      type: 'PrepareWithdrawal',
      at: instantOf(nowMs),
      terms: { kind: 'withdrawal', decidedBy: 'user', ...terms, ...origin },
      review: { fingerprint, fingerprintVersion, input, ...words },
    };
    await this.timers.schedule(approvalTimer(approvalId, streamName(operationKind, operationId), expiresAt));
    const done = await this.streams.decide(operationKind, operationId, command, cause, {
      read: 'assume-new',
      visible: true,
    });
    if (!done.ok) throw new Error(`the new operation ${operationId} was refused`);
    return { operationId, approvalId, fingerprint, expiresAt, mainAccountId, contract };
  }
}
