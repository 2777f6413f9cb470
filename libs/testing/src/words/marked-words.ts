import { randomBytes } from 'node:crypto';

const prefixLength = 16;
const letters = 'abcdefghijklmnopqrstuvwxyz0123456789';
const indexDigits = 3;

/** Words that occur nowhere else. Each begins with the same random text, and is remembered with the place that it was written to. */
export class MarkedWords {
  /** The text by which all of them are found. It begins with a letter, as names must. */
  readonly prefix = `z${[...randomBytes(prefixLength - 1)].map((byte) => letters[byte % letters.length]).join('')}`;
  private readonly written: string[] = [];

  /** Returns a new word for a place, such as `conversations.create body title`. */
  word(place: string): string {
    this.written.push(place);
    return this.prefix + (this.written.length - 1).toString(36).padStart(indexDigits, '0');
  }

  get count(): number {
    return this.written.length;
  }

  /** The places that words were written to. */
  get places(): ReadonlySet<string> {
    return new Set(this.written);
  }

  /** Returns the place of the word that a text has at this offset of the prefix; null if only a part of the prefix is there. */
  placeAt(text: string, offset: number): string | null {
    if (!text.startsWith(this.prefix, offset)) return null;
    const digits = text.slice(offset + prefixLength, offset + prefixLength + indexDigits);
    return this.written[Number.parseInt(digits, 36)] ?? null;
  }
}
