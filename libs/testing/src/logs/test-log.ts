import { randomBytes, randomUUID } from 'node:crypto';
import {
  checkpointText,
  emptyRoot,
  leafHash,
  leftLeaves,
  noteText,
  rootOver,
  signatureOf,
  signingKey,
  toBase64,
  utf8,
  verifierKeyText,
  type Hash,
  type SigningKey,
} from '@app/transparency';

/** A transparency log that signs whatever a test wants with its key, including contradictions of what it signed before. */
export class TestLog {
  readonly verifierKey: string;

  private constructor(
    readonly origin: string,
    readonly key: SigningKey,
    private readonly entryAt: (index: number) => string,
  ) {
    this.verifierKey = verifierKeyText(key);
  }

  static create(origin = `parley/${randomUUID()}`): TestLog {
    return new TestLog(origin, signingKey('log', origin, randomBytes(32)), (index) => `entry ${index}`);
  }

  /** Creates a log whose first entries are these. */
  static holding(entries: readonly string[], origin = `parley/${randomUUID()}`): TestLog {
    const key = signingKey('log', origin, randomBytes(32));
    return new TestLog(origin, key, (index) => entries[index] ?? `entry ${index}`);
  }

  /** Returns the same log with another history from a leaf on. */
  forkedAt(leaf: number): TestLog {
    return new TestLog(this.origin, this.key, (index) =>
      index < leaf ? this.entryAt(index) : `forked at ${leaf}: ${index}`,
    );
  }

  /** Returns the same log with another key. */
  withKey(): TestLog {
    return new TestLog(this.origin, signingKey('log', this.origin, randomBytes(32)), this.entryAt);
  }

  root(size: number): Hash {
    return size === 0 ? emptyRoot() : rootOver(this.leaves(0, size));
  }

  /** Returns the consistency path of RFC 6962, section 2.1.2, by its definition. */
  path(earlier: number, later: number): Hash[] {
    return earlier === 0 ? [] : this.subproof(earlier, 0, later, true);
  }

  /** Returns the inclusion path of RFC 6962, section 2.1.1, by its definition: from the sibling of the leaf up. */
  inclusion(index: number, size: number): Hash[] {
    return this.siblings(index, 0, size);
  }

  /** Returns the signed note. */
  note(size: number, root = this.root(size), extensions = ''): string {
    const text = checkpointText({ origin: this.origin, size, root }) + extensions;
    return noteText({ text, signatures: [signatureOf(this.key, text)] });
  }

  /** Returns the body of `add-checkpoint`. */
  submission(old: number, size: number, path = this.path(old, size), note = this.note(size)): string {
    return `old ${old}\n${path.map((hash) => `${toBase64(hash)}\n`).join('')}\n${note}`;
  }

  private leaves(from: number, to: number): Hash[] {
    return Array.from({ length: to - from }, (_, at) => leafHash(utf8(this.entryAt(from + at))));
  }

  private siblings(index: number, from: number, to: number): Hash[] {
    if (to - from === 1) return [];
    const middle = from + leftLeaves(to - from);
    return index < middle
      ? [...this.siblings(index, from, middle), rootOver(this.leaves(middle, to))]
      : [...this.siblings(index, middle, to), rootOver(this.leaves(from, middle))];
  }

  private subproof(earlier: number, from: number, to: number, isWhole: boolean): Hash[] {
    const count = to - from;
    if (earlier === count) return isWhole ? [] : [rootOver(this.leaves(from, to))];
    const left = leftLeaves(count);
    const middle = from + left;
    return earlier <= left
      ? [...this.subproof(earlier, from, middle, isWhole), rootOver(this.leaves(middle, to))]
      : [...this.subproof(earlier - left, middle, to, false), rootOver(this.leaves(from, middle))];
  }
}
