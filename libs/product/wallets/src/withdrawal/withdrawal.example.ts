import { fingerprintOf } from '@app/canonical';
import { contractTerms, fingerprintVersion, renderContract, reviewedDocument, type Contract } from '@app/consent';
import { asId, type ApprovalId, type Instant, type OperationId, type UserId, type WalletId } from '@app/kernel';
import type { OperationView } from '../operation/operation.schema';
import { walletExample } from '../wallet/wallet.schema';
import type { ConfirmedWithdrawal, PreparedWithdrawal, WithdrawalSourcesView } from './withdrawal.schema';

/** One direct withdrawal of 1.5 USDC, as shown in the examples of the reference: valid down to the fingerprint. */

const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const asked = { tokenId: usdc, amountRaw: '1500000' };
const mainAccountId = '553b7b3ed182ddf4beef05a07bb61bd32dee603081dae0d5490cf17c885e2190';
const operationId = asId<OperationId>('019a3c62-4f1c-7d31-9f20-8b6c5a4d3e21');
const expiresAt = asId<Instant>('2026-11-21T09:34:05.224Z');

const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: usdc, decimals: 6 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: asked.amountRaw },
    },
  ],
};

/** The document that its user reviews. */
export const reviewExample = {
  approvalId: asId<ApprovalId>('019a3c62-4f1d-7e42-a031-9c7d6b5e4f32'),
  kind: 'withdrawal',
  userId: asId<UserId>('5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11'),
  walletId: asId<WalletId>(walletExample.id),
  tool: 'wallet_withdrawal',
  input: asked,
  contract,
  expiresAt,
  summary: renderContract(contract, () => 'USDC'),
  terms: contractTerms(contract, () => 'USDC'),
  fingerprintVersion,
} as const;
const { approvalId } = reviewExample;

const sources: WithdrawalSourcesView = {
  assets: [
    {
      tokenId: usdc,
      symbol: 'USDC',
      name: 'USD Coin',
      decimals: 6,
      amountRaw: '250000000',
      priceUsdDecimal: '1',
      valueUsdCents: '25000',
      iconUrl: 'https://icons.example/usdc.svg',
      withdrawable: true,
    },
    {
      tokenId: 'nep141:wrap.near',
      symbol: 'wNEAR',
      name: 'Wrapped NEAR',
      decimals: 24,
      amountRaw: '40000000000000000000000000',
      priceUsdDecimal: '2.5',
      valueUsdCents: '10000',
      iconUrl: 'https://icons.example/wnear.svg',
      withdrawable: true,
    },
  ],
  mainAccountId,
  agentAccountId: walletExample.address,
  asOf: '2026-11-21T09:18:51.007Z',
};

const prepared: PreparedWithdrawal = {
  operationId,
  approvalId,
  fingerprint: fingerprintOf(reviewedDocument(reviewExample)),
  expiresAt,
  mainAccountId,
  contract,
};

const confirmed: ConfirmedWithdrawal = { operationId, status: 'submitted' };

const operation: OperationView = {
  id: operationId,
  kind: 'withdrawal',
  status: 'settled',
  approvalId,
  conversationId: null,
  runId: null,
  automationId: null,
  contract,
  actions: [
    {
      index: 0,
      kind: 'withdraw_to_owner',
      status: 'settled',
      input: asked,
      output: asked,
      leastOutput: null,
      returned: null,
      providerReference: 'sandbox-7f3a9c1e',
    },
  ],
  failure: null,
  createdAt: '2026-11-21T09:19:05.224Z',
  updatedAt: '2026-11-21T09:19:31.480Z',
  settledAt: '2026-11-21T09:19:31.480Z',
};

export const withdrawalExamples = { asked, sources, prepared, confirmed, operation };
