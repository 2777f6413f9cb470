import { unreachable } from '@app/kernel';

/** What the solver relay knows of an intent; see RelayStatus. */
type RelayWord = 'settled' | 'pending' | 'failed' | 'not_found';

/** What was journaled of a submission that matters for its outcome, and what relay and contract said of it. */
export interface Evidence {
  /** The relay on the signed transfer. */
  readonly relay: RelayWord;
  /** The relay on the empty intent that was journaled to take the transfer's nonce; null: none was. */
  readonly revocation: RelayWord | null;
  /** As of that block. */
  readonly isNonceUsed: boolean;
  /** As of that block: whether the contract takes, and so remembers, nonces of the transfer's salt. */
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
  /** The relay has it under way. */
  | 'under_way'
  /** It has not been executed so far, but still can be by anyone who has the bytes. */
  | 'open'
  /** No source can tell. */
  | 'unknown';

/**
 * What became of a signed transfer. The contract takes each nonce of an account once, and nothing after its deadline by block time
 * (near/intents, contracts/defuse: it refuses where the deadline is before the block's time). So a used nonce says that the transfer,
 * or its revocation, was executed; and an unused one in a final block after the deadline that neither ever will be, as long as the
 * contract would remember. The relay's word is only asked which of the two it was.
 */
export function verdictOn(evidence: Evidence): Verdict {
  const { relay, revocation, isNonceUsed } = evidence;
  if (relay === 'settled' && revocation === 'settled') return 'unknown'; // of the two, one at most can be
  if (isNonceUsed) return revocation === null ? 'executed' : whichOf(relay, revocation);
  if (isOver(evidence)) return relay === 'settled' ? 'unknown' : 'never'; // relay and chain contradict each other
  if (evidence.block.epochMs > evidence.deadlineMs) return 'unknown';
  // What the relay knows, the final block does not show yet.
  if (relay === 'settled') return 'executed';
  return relay === 'pending' || relay === 'failed' ? 'under_way' : 'open';
}

/** The nonce is used, and both were signed with it. */
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

/** Its deadline has passed by the chain's own time, and the contract would remember that the nonce was used. */
function isOver({ block, deadlineMs, nonceExpiresAtMs, isSaltValid }: Evidence): boolean {
  return block.epochMs > deadlineMs && block.epochMs < nonceExpiresAtMs && isSaltValid;
}
