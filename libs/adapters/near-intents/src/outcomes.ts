import { epochMsOf, unreachable } from '@app/kernel';
import type { Settlement, Submission } from '@app/wallets';
import { failures } from './failures';
import type { Sent } from './intents';
import { verdictOn, type Verdict } from './outcome.decider';
import type { OneClick } from './one-click.adapter';
import type { RelayStatus, SolverRelay } from './solver-relay';
import type { Verifier } from './verifier';

/** The APIs that make up NEAR Intents. */
export interface Apis {
  readonly verifier: Verifier;
  readonly relay: SolverRelay;
  readonly oneClick: OneClick;
}

/**
 * The verdict on a transfer, and what the relay knows about it. The contract is authoritative, because the relay may
 * lag behind it or forget. It accepts each nonce once, and a final block is never undone.
 *
 * @param revocation an intent that may have been executed in its place
 * @throws Unavailable
 */
async function standingOf(
  { relay, verifier }: Apis,
  { intentHash, signerId, nonceText, nonce, deadline }: Sent,
  revocation: Sent | null,
): Promise<{ readonly verdict: Verdict; readonly relay: RelayStatus }> {
  const [known, revoked, block] = await Promise.all([
    relay.status(intentHash),
    revocation === null ? null : relay.status(revocation.intentHash),
    verifier.finalBlock(),
  ]);
  const deadlineMs = epochMsOf(deadline);
  const isNonceUsed = await verifier.isNonceUsed(signerId, nonceText, block);
  // Only an unused nonce after the deadline needs a contract that remembers.
  const isSaltValid = isNonceUsed || block.epochMs <= deadlineMs || (await verifier.isSaltValid(nonce.salt, block));
  const nonceExpiresAtMs = nonce.expiresAtMs;
  const said = { relay: known.kind, revocation: revoked?.kind ?? null, isNonceUsed, isSaltValid, block };
  return { verdict: verdictOn({ ...said, deadlineMs, nonceExpiresAtMs }), relay: known };
}

/** The outcome of a submission; see `standingOf`. @throws Unavailable */
export async function outcomeOf(
  apis: Apis,
  submission: Submission,
  sent: Sent,
  revocation: Sent | null,
): Promise<Settlement> {
  const { verdict, relay } = await standingOf(apis, sent, revocation);
  const { intentHash: providerReference, deadline } = sent;
  switch (verdict) {
    case 'executed':
      return submission.output === null
        ? { kind: 'settled', providerReference, output: null, returned: null }
        : swapOutcome(apis.oneClick, sent, [submission.input.tokenId, submission.output.tokenId], relay);
    case 'never':
      return relay.kind === 'failed'
        ? { kind: 'failed', failure: failures.other }
        : { kind: 'never_accepted', isFinal: true };
    case 'under_way':
      return { kind: 'pending', providerReference, checkAt: relay.kind === 'failed' ? deadline : null };
    case 'open':
      return { kind: 'never_accepted', isFinal: false };
    case 'unknown':
      return { kind: 'unknown' };
    default:
      return unreachable(verdict);
  }
}

async function swapOutcome(
  oneClick: OneClick,
  { intentHash: providerReference, receiverId, signerId }: Sent,
  [inputId, outputId]: readonly [inputId: string, outputId: string],
  relay: RelayStatus,
): Promise<Settlement> {
  const swap = receiverId === null ? null : await oneClick.swap(receiverId);
  if (swap === null || receiverId === null) return { kind: 'unknown' };
  const { status, amountOut } = swap;
  const output = amountOut === null ? null : { tokenId: outputId, amountRaw: amountOut };
  const returned = swap.returned === null ? null : { tokenId: inputId, amountRaw: swap.returned };
  switch (status) {
    case 'success':
      return { kind: 'settled', providerReference, output, returned };
    case 'refunded':
      return { kind: 'refunded', providerReference, output, returned };
    case 'failed': // neither delivered nor given back: 1Click's staff handle it
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
