import { Injectable } from '@nestjs/common';
import { fingerprintOf } from '@app/canonical';
import { contractWords, isPinnable, reviewedDocument, type Contract } from '@app/consent';
import { DeploymentControls } from '@app/deployment';
import { Streams } from '@app/event-store';
import { validateInto } from '@app/http';
import {
  asId,
  because,
  Clock,
  instantOf,
  notFound,
  ok,
  refuse,
  withdrawalChanged,
  type ApprovalId,
  type Cause,
  type OperationId,
  type Refusal,
  type Result,
  type UserId,
} from '@app/kernel';
import { UserQuotas } from '@app/read-store';
import { Configuration } from '@app/runtime';
import { Timers } from '@app/timers';
import { v7 as uuidV7 } from 'uuid';
import type { PrepareWithdrawal as Prepare } from './operation.decider';
import { operationKind } from './operation.stream';
import { unusable, type WalletState } from './wallet.decider';
import { WalletProvider, type Holding } from './wallet-provider';
import { Wallets } from './wallets';
import type { PreparedWithdrawal } from './withdrawal.schema';
import { PrepareWithdrawalDto } from './withdrawals.dto';

/** Whose wallet, and where the owner's token says that withdrawals land; null when it says nothing. */
export interface Owner {
  readonly userId: UserId;
  readonly mainAccountId: string | null;
  readonly cause: Cause;
}

interface Ids {
  readonly operationId: OperationId;
  readonly approvalId: ApprovalId;
}

/** `wallets.prepareWithdrawal`: the exact contract and its approval. Nothing is signed, and nothing is held. */
@Injectable()
export class PrepareWithdrawal {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly configuration: Configuration,
    private readonly controls: DeploymentControls,
    private readonly quotas: UserQuotas,
    private readonly timers: Timers,
    private readonly wallets: Wallets,
    private readonly provider: WalletProvider,
  ) {}

  /**
   * Refuses, in this order, with `not_found` (no wallet yet), `invalid_input`, `deployment_paused`, `withdrawal_changed`, `rate_limited`
   * (docs/decisions/money.md). @throws Unavailable when a store or the provider is away
   */
  async prepare(owner: Owner, body: unknown): Promise<Result<PreparedWithdrawal>> {
    const wallet = await this.wallets.find(owner.userId);
    if (wallet === null) return refuse(notFound);
    const asked = validateInto(PrepareWithdrawalDto, body);
    if (!asked.ok) return asked;
    if (await this.controls.paused('withdrawals')) return refuse(because('deployment_paused'));
    const { mainAccountId } = owner;
    const why = unusable(wallet);
    if (why !== null) return refuse(withdrawalChanged(why));
    if (mainAccountId === null || !(await this.provider.isMainAccount(mainAccountId)))
      return refuse(withdrawalChanged('main_account_missing'));
    const { tokenId, amountRaw } = asked.value;
    const spendable = await this.wallets.spendable(owner.userId);
    if (!spendable.ok) return spendable;
    const token = spendable.value.find((held) => held.tokenId === tokenId) ?? (await this.notHeld(tokenId));
    if (token === null) return refuse(withdrawalChanged('unknown_token'));
    const contract = contractOver(token, amountRaw);
    if (typeof contract === 'string') return refuse(withdrawalChanged(contract));
    const ids = { operationId: asId<OperationId>(uuidV7()), approvalId: asId<ApprovalId>(uuidV7()) };
    const refusal = await this.takePlaces(owner.userId, ids);
    if (refusal !== null) return refuse(refusal);
    return ok(await this.open({ ...owner, mainAccountId }, wallet, token, contract, ids));
  }

  /** Null, or which quota has no place. */
  private async takePlaces(userId: UserId, { operationId, approvalId }: Ids): Promise<Refusal | null> {
    const refusal = await this.quotas.take('preparedWithdrawals', { userId, id: operationId });
    if (refusal !== null) return refusal;
    const other = await this.quotas.take('pendingApprovals', { userId, id: approvalId });
    if (other !== null) await this.quotas.release('preparedWithdrawals', operationId);
    return other;
  }

  /** A token of which nothing can be spent; null when the provider does not know it. */
  private async notHeld(tokenId: string): Promise<Holding | null> {
    const token = await this.provider.findToken(tokenId);
    return token === null ? null : { ...token, amountRaw: '0' };
  }

  /** The timer of the expiry comes first, so that no clock move passes an approval by. */
  private async open(
    { userId, mainAccountId, cause }: Owner & { readonly mainAccountId: string },
    wallet: WalletState,
    holding: Holding,
    contract: ExactWithdrawal,
    { operationId, approvalId }: Ids,
  ): Promise<PreparedWithdrawal> {
    const nowMs = this.clock.epochMs();
    const expiresAt = instantOf(nowMs + this.configuration.env.WITHDRAWAL_APPROVAL_SECONDS * 1000);
    const origin = { conversationId: null, runId: null, automationId: null };
    const terms = { approvalId, userId, walletId: wallet.walletId, contract, mainAccountId, expiresAt };
    const input = { tokenId: holding.tokenId, amountRaw: contract.actions[0].quantity.amountRaw };
    const fingerprint = fingerprintOf(
      reviewedDocument({ ...terms, kind: 'withdrawal', tool: 'wallet_withdrawal', input }),
    );
    const words = contractWords(contract, () => holding.symbol);
    if (words === null) throw new Error('one withdrawal does not fit into a summary');
    const command: Prepare = {
      type: 'PrepareWithdrawal',
      at: instantOf(nowMs),
      terms: { kind: 'withdrawal', ...terms, ...origin },
      review: { fingerprint, input, ...words },
    };
    const stream = `${operationKind.category}-${operationId}`;
    const payload = { approvalId, stream };
    await this.timers.schedule({ id: `approval/${approvalId}`, kind: 'approval', dueAt: expiresAt, payload });
    const done = await this.streams.decide(operationKind, operationId, command, cause, {
      newStream: true,
      visible: true,
    });
    if (!done.ok) throw new Error(`the new operation ${operationId} was refused`);
    return { operationId, approvalId, fingerprint, expiresAt, mainAccountId, contract };
  }
}

interface ExactWithdrawal extends Contract {
  readonly actions: readonly [
    {
      readonly kind: 'withdraw_to_owner';
      readonly input: { readonly pinned: { readonly tokenId: string; readonly decimals: number } };
      readonly quantity: { readonly kind: 'exact_input_tokens'; readonly amountRaw: string };
    },
  ];
}

/** The contract over an amount of a holding; or why there is none. */
function contractOver(
  { tokenId, decimals, amountRaw: heldRaw }: Holding,
  amountRaw: string,
): ExactWithdrawal | 'not_expressible' | 'insufficient_balance' {
  if (decimals === null || !isPinnable({ tokenId, decimals, amountRaw: '1' })) return 'not_expressible';
  if (BigInt(amountRaw) > BigInt(heldRaw)) return 'insufficient_balance';
  if (!isPinnable({ tokenId, decimals, amountRaw })) return 'not_expressible';
  const input = { pinned: { tokenId, decimals } };
  const quantity = { kind: 'exact_input_tokens', amountRaw } as const;
  return { type: 'ledger_intents_transfer', actions: [{ kind: 'withdraw_to_owner', input, quantity }] };
}
