import { fromBase64, parseCount, toBase64 } from './bytes';
import { emptyRoot, hashBytes, sameHash, type TreeHead } from './merkle';

/** What a log commits itself to: the tree of that size has that root. Source: C2SP tlog-checkpoint. */
export interface Checkpoint extends TreeHead {
  /** Which log. */
  readonly origin: string;
}

/** The text of the note, without extension lines. @throws RangeError for an origin that is no line */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  if (origin === '' || /[\n\r]/.test(origin)) throw new RangeError('an origin is one line');
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/**
 * The checkpoint in a note's text; null for another text. One with extension lines is none: we write none, and nobody audits what they say.
 */
export function parseCheckpoint(text: string): Checkpoint | null {
  const parsed = parseExtendedCheckpoint(text);
  return parsed?.extensions === 0 ? { origin: parsed.origin, size: parsed.size, root: parsed.root } : null;
}

/** As `parseCheckpoint`, of any log: with as many extension lines under it as `extensions` says, of which nothing is read. */
export function parseExtendedCheckpoint(text: string): (Checkpoint & { readonly extensions: number }) | null {
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.split('\n');
  const [size, root] = [parseCount(sizeText), fromBase64(rootText)];
  if (origin === '' || size === null || root?.length !== hashBytes || rest.pop() !== '' || rest.includes(''))
    return null;
  return { origin, size, root, extensions: rest.length };
}

/** A tree without leaves has one root. */
export function isPossible({ size, root }: TreeHead): boolean {
  return size > 0 || sameHash(root, emptyRoot());
}
