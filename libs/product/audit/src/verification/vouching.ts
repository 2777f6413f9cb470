import type { SignedTree } from './claims';

/** The proven range, and the largest part of it that something outside of the deployment vouches for. */
export interface Vouching {
  /** The smallest matching signed tree, and where its checkpoint was found; null if none matches. */
  readonly from: Pick<SignedTree, 'size' | 'where'> | null;
  /** The size of the largest matching tree that witnesses signed, or that has a checkpoint kept elsewhere. */
  readonly outside: number;
  /** Where that was found; null if there is none. */
  readonly outsideWhere: string | null;
  /** The name of a witness without a known key that answered; null if there was no such answer. */
  readonly unknown: string | null;
  /** A checkpoint from outside that is larger than everything here: the newest events were removed. */
  readonly ahead: Pick<SignedTree, 'size' | 'where'> | null;
}

const theWitnesses = 'enough witnesses';

/**
 * @param signed sorted by size. @param holds the size of the largest matching one. @param size number of leaves that
 * are here
 */
export function vouchingOf(signed: readonly SignedTree[], holds: number, size: number): Vouching {
  const held = signed.filter((tree) => tree.size <= holds && !tree.isFormer);
  const by = held.findLast(({ isWitnessed, isOutside, isOfUnknown }) => isWitnessed || (isOutside && !isOfUnknown));
  return {
    from: held[0] ?? null,
    outside: by?.size ?? 0,
    outsideWhere: by === undefined ? null : by.isOutside && !by.isOfUnknown ? by.where : theWitnesses,
    unknown: held.findLast(({ isOfUnknown }) => isOfUnknown)?.where ?? null,
    ahead: signed.findLast((tree) => tree.isOutside && tree.size > size) ?? null,
  };
}

/** The checkpoint that the proof begins with, in words. */
export function fromWords({ from }: Vouching): string {
  return from === null ? '' : `, the first of them that of ${from.size} (${from.where})`;
}

const howToVouch = 'nobody named its key (--witness <key>), and anybody can answer there';
const howToAsk =
  'ask a witness (--ask <its URL> --witness <its key>), or give a checkpoint that you kept (--known <file>)';

/** The claims about rewriting and truncation that nothing here can prove. */
export function unvouchedWords({ outside, outsideWhere, unknown }: Vouching, proven: number): string[] {
  const who = unknown === null ? [] : [`that ${unknown} is one: ${howToVouch}`];
  if (outside === 0 || outsideWhere === null)
    return [
      ...who,
      `that nobody with the log's key wrote it all again, or took the newest events away with their checkpoints: nobody outside vouches for it${unknown === null ? `; ${howToAsk}` : ''}`,
    ];
  const vouch = outsideWhere === theWitnesses ? 'vouch' : 'vouches';
  const later = `that nothing after the ${outside} that ${outsideWhere} ${vouch} for was taken away with its checkpoints`;
  return [...who, outside < proven ? `that what comes after them was not written again, and ${later}` : later];
}
