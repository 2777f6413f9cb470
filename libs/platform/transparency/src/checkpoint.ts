import { fromBase64, parseCount, toBase64 } from './bytes';
import { emptyRoot, hashBytes, sameHash, type TreeHead } from './merkle';

/** The content of a signed tree head: the log commits itself to a tree of this size and root. Source: C2SP tlog-checkpoint. */
export interface Checkpoint extends TreeHead {
  /** Name of the log. */
  readonly origin: string;
}

/** The text of the note, without extension lines. @throws RangeError for an origin that is not one line */
export function checkpointText({ origin, size, root }: Checkpoint): string {
  if (origin === '' || /[\n\r]/.test(origin)) throw new RangeError('an origin is one line');
  return `${origin}\n${size}\n${toBase64(root)}\n`;
}

/** Parses a note's checkpoint, or null. Extension lines are refused: no one audits their content. */
export function parseCheckpoint(text: string): Checkpoint | null {
  const parsed = parseExtendedCheckpoint(text);
  return parsed?.extensions === 0 ? { origin: parsed.origin, size: parsed.size, root: parsed.root } : null;
}

/** As `parseCheckpoint`, for any log: with any number of extension lines, which are counted in `extensions` and otherwise ignored. */
export function parseExtendedCheckpoint(text: string): (Checkpoint & { readonly extensions: number }) | null {
  const [origin = '', sizeText = '', rootText = '', ...rest] = text.split('\n');
  const [size, root] = [parseCount(sizeText), fromBase64(rootText)];
  if (origin === '' || size === null || root?.length !== hashBytes || rest.pop() !== '' || rest.includes(''))
    return null;
  return { origin, size, root, extensions: rest.length };
}

/** Whether the tree head is possible: a tree without leaves has only one root. */
export function isPossible({ size, root }: TreeHead): boolean {
  return size > 0 || sameHash(root, emptyRoot());
}
