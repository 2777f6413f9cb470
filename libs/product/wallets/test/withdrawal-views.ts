import { anInstant, aUuid, type Prepared, usdc } from '@app/testing/journeys';

// Views of a direct withdrawal of that many units of USDC.

const contractOf = (amountRaw: string) => ({
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId: usdc, decimals: 6 } },
      quantity: { kind: 'exact_input_tokens', amountRaw },
    },
  ],
});

/** The complete answer to preparing it. */
export const preparedAnswer = (amountRaw: string): object => ({
  operationId: aUuid,
  approvalId: aUuid,
  expiresAt: anInstant,
  contract: contractOf(amountRaw),
  fingerprint: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) as string,
  mainAccountId: expect.stringMatching(/^[0-9a-f]{64}$/) as string,
});

/** Its operation, before it is confirmed. */
export const preparedOperation = ({ approvalId }: Prepared, amountRaw: string): object => ({
  kind: 'withdrawal',
  approvalId,
  conversationId: null,
  runId: null,
  contract: contractOf(amountRaw),
  actions: [{ index: 0, status: 'pending', output: null, providerReference: null }],
  settledAt: null,
});

/** Its approval, before it is confirmed. */
export const pendingApproval = (prepared: Prepared, amountRaw: string): object => ({
  kind: 'withdrawal',
  tool: 'wallet_withdrawal',
  status: 'pending',
  operationId: prepared.operationId,
  contract: contractOf(amountRaw),
  input: { tokenId: usdc, amountRaw },
  conversationId: null,
  runId: null,
  toolCallId: null,
  fingerprint: prepared.fingerprint,
  expiresAt: prepared.expiresAt,
});
