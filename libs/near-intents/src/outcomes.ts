import { epochMsOf, unreachable } from '@app/kernel';
import type { Settlement, Submission } from '@app/wallets';
import { failures } from './failures';
import type { Sent } from './intents';
import type { OneClick } from './one-click';
import type { RelayStatus, SolverRelay } from './solver-relay';
import type { FinalBlock, Verifier } from './verifier';

/** The APIs behind which NEAR Intents is. */
export interface Apis {
  readonly verifier: Verifier;
  readonly relay: SolverRelay;
  readonly oneClick: OneClick;
}

/** What relay and contract say of a transfer together. */
export interface Standing {
  readonly relay: RelayStatus;
  /** Whether the contract has executed it. */
  readonly executed: boolean;
  readonly block: FinalBlock;
}

/**
 * Where a transfer stands. The contract has the last word: the relay may lag behind it, or forget. It takes each nonce once, and a
 * block that is final is never undone. @throws Unavailable
 */
export async function standingOf(
  { relay, verifier }: Apis,
  { intentHash, signerId, nonceText }: Sent,
): Promise<Standing> {
  const [known, block] = await Promise.all([relay.status(intentHash), verifier.finalBlock()]);
  const executed = known.kind === 'settled' || (await verifier.isNonceUsed(signerId, nonceText, block));
  return { relay: known, executed, block };
}

/** What became of a submission. @throws Unavailable */
export async function outcomeOf(apis: Apis, submission: Submission, sent: Sent): Promise<Settlement> {
  const standing = await standingOf(apis, sent);
  if (!standing.executed) return notExecuted(apis.verifier, sent, standing);
  const { intentHash: providerReference } = sent;
  return submission.output === null
    ? { kind: 'settled', providerReference, output: null }
    : swapped(apis.oneClick, sent, submission.output.tokenId, standing.relay);
}

async function notExecuted(verifier: Verifier, sent: Sent, { relay, block }: Standing): Promise<Settlement> {
  const { intentHash: providerReference, nonce, deadline } = sent;
  if (relay.kind === 'pending') return { kind: 'pending', providerReference, checkAt: null };
  const failed = relay.kind === 'failed';
  // Who has the bytes could still have them executed: an end is told only when the chain's own time is past their deadline.
  if (block.epochMs <= epochMsOf(deadline))
    return failed ? { kind: 'pending', providerReference, checkAt: deadline } : { kind: 'never_accepted' };
  // An unused nonce proves something only while the contract would remember a used one.
  const remembered = block.epochMs < nonce.expiresAtMs && (await verifier.isSaltValid(nonce.salt, block));
  if (!remembered) return { kind: 'unknown' };
  return failed ? { kind: 'failed', failure: failures.other } : { kind: 'never_accepted' };
}

async function swapped(
  oneClick: OneClick,
  { intentHash: providerReference, receiverId, signerId }: Sent,
  tokenId: string,
  relay: RelayStatus,
): Promise<Settlement> {
  const swap = await oneClick.swap(receiverId);
  if (swap === null) return { kind: 'unknown' };
  const { status, amountOut } = swap;
  const output = amountOut === null || amountOut === '0' ? null : { tokenId, amountRaw: amountOut };
  switch (status) {
    case 'success':
      return { kind: 'settled', providerReference, output };
    case 'refunded':
      return { kind: 'refunded', providerReference, output };
    case 'failed': // neither delivered nor given back: people at 1Click look into it
      return { kind: 'unknown' };
    case 'awaiting_deposit':
      if (relay.kind === 'settled') await oneClick.announceDeposit(receiverId, relay.transactionHash, signerId);
      return { kind: 'pending', providerReference, checkAt: null };
    case 'under_way':
      return { kind: 'pending', providerReference, checkAt: null };
    default:
      return unreachable(status);
  }
}
