import type { SignedTree } from './claims';

/** The range that is proven, and the largest part of it for which something outside of the deployment vouches. */
export interface Vouching {
  /** The smallest signed tree that holds, and where its checkpoint was found; null where none holds. */
  readonly from: Pick<SignedTree, 'size' | 'where'> | null;
  /** The size of the largest tree that holds and that witnesses signed, or whose checkpoint was kept elsewhere. */
  readonly outside: number;
  /** Where that was found; null where there is none. */
  readonly outsideWhere: string | null;
  /** The name of whoever answered as a witness without a known key; null where no such answer came. */
  readonly unknown: string | null;
  /** A checkpoint from outside that is larger than all that is here: the newest was taken away. */
  readonly ahead: Pick<SignedTree, 'size' | 'where'> | null;
}

const theWitnesses = 'enough witnesses';

/** @param signed by size. @param holds the size of the largest that holds. @param size leaves that are here */
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

/** Since which checkpoint there is a proof. */
export function fromWords({ from }: Vouching): string {
  return from === null ? '' : `, the first of them that of ${from.size} (${from.where})`;
}

const howToVouch = 'nobody named its key (--witness <key>), and anybody can answer there';
const howToAsk =
  'ask a witness (--ask <its URL> --witness <its key>), or give a checkpoint that you kept (--known <file>)';

/** The claims about rewriting and cutting that nothing here can prove. */
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
