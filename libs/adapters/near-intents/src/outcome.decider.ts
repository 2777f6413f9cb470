import { unreachable } from '@app/kernel';

/** The relay's answer about an intent; see RelayStatus. */
type RelayWord = 'settled' | 'pending' | 'failed' | 'not_found';

/** The evidence for a submission's outcome: what was journaled, and the answers of relay and contract. */
export interface Evidence {
  /** The relay's answer about the signed transfer. */
  readonly relay: RelayWord;
  /** The relay's answer about the empty intent that was journaled to use up the transfer's nonce; null: none was. */
  readonly revocation: RelayWord | null;
  /** As of that block. */
  readonly isNonceUsed: boolean;
  /** As of that block: whether the contract accepts, and so remembers, nonces with the transfer's salt. */
  readonly isSaltValid: boolean;
  /** The time of a final block: the chain's own clock. */
  readonly block: { readonly epochMs: number };
  readonly deadlineMs: number;
  /** From then on the contract may forget that the nonce was used. */
  readonly nonceExpiresAtMs: number;
}

export type Verdict =
  /** The contract has executed the transfer, and never undoes it. */
  | 'executed'
  /** It has not been executed and never will be, even if the bytes are sent again. */
  | 'never'
  /** The relay is processing it. */
  | 'under_way'
  /** It has not been executed so far, but still can be by anyone who has the bytes. */
  | 'open'
  /** No source can decide. */
  | 'unknown';

/**
 * The outcome of a signed transfer. The contract accepts each nonce of an account once, and nothing after its deadline
 * by block time (near/intents, contracts/defuse: it refuses if the deadline is before the block's time). So a used
 * nonce means that the transfer, or its revocation, was executed; an unused one in a final block after the deadline
 * means that neither ever will be, while the contract remembers. The relay's answer only decides which of the two it
 * was.
 */
export function verdictOn(evidence: Evidence): Verdict {
  const { relay, revocation, isNonceUsed } = evidence;
  if (relay === 'settled' && revocation === 'settled') return 'unknown'; // at most one of the two can be settled
  if (isNonceUsed) return revocation === null ? 'executed' : whichOf(relay, revocation);
  if (isOver(evidence)) return relay === 'settled' ? 'unknown' : 'never'; // relay and chain contradict each other
  if (evidence.block.epochMs > evidence.deadlineMs) return 'unknown';
  // The relay already knows it; the final block does not show it yet.
  if (relay === 'settled') return 'executed';
  return relay === 'pending' || relay === 'failed' ? 'under_way' : 'open';
}

/** Which one used the nonce, given that both were signed with it. */
function whichOf(relay: RelayWord, revocation: RelayWord): Verdict {
  if (relay === 'settled') return 'executed';
  switch (revocation) {
    case 'settled':
      return 'never';
    case 'pending':
      return 'open';
    case 'failed':
    case 'not_found':
      return relay === 'pending' ? 'under_way' : 'unknown';
    default:
      return unreachable(revocation);
  }
}

/** Whether its deadline has passed by the chain's own time, and the contract would remember that the nonce was used. */
function isOver({ block, deadlineMs, nonceExpiresAtMs, isSaltValid }: Evidence): boolean {
  return block.epochMs > deadlineMs && block.epochMs < nonceExpiresAtMs && isSaltValid;
}
