import { fingerprintOf } from '@app/canonical';
import { contractTerms, fingerprintVersion, renderContract, reviewedDocument } from '@app/consent';
import { asId, type ApprovalId, type Instant, type JsonValue, type WithOpenWords } from '@app/kernel';
import { reviewExample } from '@app/wallets';
import type { ApprovalView } from './approval.schema';

const { contract, userId, walletId } = reviewExample;
const symbolOf = () => 'USDC';
const approvalId = asId<ApprovalId>('019a3c6d-5a31-7c20-8d11-5e4f3a2b1c0d');
const runId = '019a3c6d-51f2-7a08-b4c1-0d9e8f7a6b15';

/** The review of an agent's tool call in the examples of the reference: true down to the fingerprint. */
const review = {
  approvalId,
  userId,
  walletId,
  contract,
  kind: 'agent_tool',
  tool: 'intents_transfer',
  // Reason for the assertion: a contract holds nothing but JSON; interfaces cannot express that.
  input: { contract: contract as unknown as JsonValue },
  expiresAt: asId<Instant>('2026-11-22T09:31:12.640Z'),
  summary: renderContract(contract, symbolOf),
  terms: contractTerms(contract, symbolOf),
  fingerprintVersion,
} as const;

export const pendingExample: WithOpenWords<ApprovalView> = {
  id: approvalId,
  kind: review.kind,
  tool: review.tool,
  fingerprint: fingerprintOf(reviewedDocument(review)),
  input: review.input,
  contract,
  status: 'pending',
  conversationId: '019a3c5e-8f10-7a31-9c42-1b7d5e2f6a01',
  runId,
  toolCallId: `${runId}/1/0`,
  operationId: null,
  automationId: null,
  openedAt: '2026-11-21T09:31:12.640Z',
  expiresAt: review.expiresAt,
  decidedAt: null,
  decidedBy: null,
  denialReason: null,
  endedReason: null,
  summary: review.summary,
  terms: review.terms,
};
