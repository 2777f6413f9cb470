import { operation, type OperationGroup } from '@app/http';
import { operationIdParameter } from './operation/operation.schema';
import { Wallet, walletExample } from './wallet/wallet.schema';
import { withdrawalExamples } from './withdrawal/withdrawal.example';
import {
  ConfirmedWithdrawal,
  ConfirmWithdrawalDto,
  PreparedWithdrawal,
  PrepareWithdrawalDto,
  WithdrawalSourcesShape,
} from './withdrawal/withdrawal.schema';

export const walletsGroup: OperationGroup = {
  name: 'wallets',
  description: "The user's agent wallet and direct withdrawals from it",
};

export const ensureWallet = operation('wallets.ensure', {
  route: 'POST /v1/users/:userId/wallet',
  summary: 'Create or return the agent wallet, and connect it to its provider',
  description:
    'Safe to repeat: it answers the one wallet of the user, asks the provider each time whether it takes the session of the wallet, and reconnects one that it rejected; where it takes none, the wallet says `authorization_required`. A wallet that an operator disabled stays so. While the provider is away the wallet exists and stays as it was, and the answer is a 503.',
  body: 'none',
  answer: Wallet,
  reasons: ['provider_unavailable'],
  examples: { answer: walletExample },
});

export const getWallet = operation('wallets.get', {
  route: 'GET /v1/users/:userId/wallet',
  summary: 'The agent wallet',
  description: 'Before the first `wallets.ensure` every call on the wallet is a 404.',
  answer: Wallet,
  examples: { answer: walletExample },
});

export const readWithdrawalSources = operation('wallets.withdrawalSources', {
  route: 'GET /v1/users/:userId/wallet/withdrawals/sources',
  summary: 'What can be withdrawn, richest first',
  description:
    '`withdrawal_changed`, with what to do as `change`, while the wallet is `authorization_required` or `disabled`. Also a 503 before the wallet was connected for the first time, and for a token that names no main account.',
  answer: WithdrawalSourcesShape,
  reasons: ['withdrawal_changed', 'provider_unavailable'],
  examples: { answer: withdrawalExamples.sources },
});

export const prepareWithdrawal = operation('wallets.prepareWithdrawal', {
  route: 'POST /v1/users/:userId/wallet/withdrawals',
  summary: 'Build the exact contract of a withdrawal, and open its approval',
  description:
    'Nothing is signed, and nothing is held. `withdrawal_changed`, with what to do as `change`: the token is unknown, the amount is more than the balance less what is in flight, no contract can express it, the wallet is not `active` and `ready`, or the token names no main account.',
  body: { readByHandler: PrepareWithdrawalDto },
  answer: PreparedWithdrawal,
  reasons: ['withdrawal_changed', 'deployment_paused', 'provider_unavailable'],
  examples: { body: withdrawalExamples.asked, answer: withdrawalExamples.prepared },
});

export const confirmWithdrawal = operation('wallets.confirmWithdrawal', {
  route: 'POST /v1/users/:userId/wallet/withdrawals/:operationId/confirm',
  status: 202,
  summary: 'Confirm a prepared withdrawal exactly as it was reviewed',
  description:
    'Of any number of confirmations one is accepted. `withdrawal_changed`, with what to do as `change`: another fingerprint, no longer `prepared`, expired, or the balance no longer covers it. After an ambiguous answer read `financialOperations.get` before anything else: it alone tells of settlement.',
  parameters: { operationId: operationIdParameter },
  body: ConfirmWithdrawalDto,
  answer: ConfirmedWithdrawal,
  reasons: ['withdrawal_changed', 'deployment_paused', 'provider_unavailable'],
  examples: { body: { fingerprint: withdrawalExamples.prepared.fingerprint }, answer: withdrawalExamples.confirmed },
});
