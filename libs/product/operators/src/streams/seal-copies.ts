import { decodeOwn, openEvent, personalPathsOf, sealedUnder, sealStored } from '@app/event-store';
import type { ReceivedEvent, StoredEvent } from '@app/event-store';
import { isJsonObject, type JsonObject, type Mark, type Marks } from '@app/kernel';
import { KeyDestroyed, type KeyRing, type SealedFor } from '@app/sealing';
import { randomBytes } from 'node:crypto';
import { kindOf, type OwnerFold } from './stream-kinds';

/** The stored bytes of an event. */
export interface CopiedBytes {
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** The words of an event cannot be sealed; the message says why. */
export class CannotSeal extends Error {}

const keyBytes = 32;

/** An event with words in clear. */
interface ClearEvent {
  /** The event in the form that this version stores, since upcasters cannot look into a ciphertext. */
  readonly present: StoredEvent;
  /** The paths of the members to seal. */
  readonly paths: readonly string[];
}

/** Whether an event has words of a person in clear, as versions before 0.2.0 stored them. */
export function hasClearWords(received: ReceivedEvent): boolean {
  const stored = decodeOwn(received);
  return stored !== null && clearIn(stored) !== null;
}

/**
 * Seals the words in events that earlier versions stored, one after the other in the order of the store. An event without words, or
 * whose words are sealed already, stays as it is.
 */
export class SealedCopies {
  /** By stream, for each stream with words: two short texts, or the fold that leads to them. */
  private readonly owners = new Map<string, SealedFor | OwnerFold>();

  constructor(private readonly keys: KeyRing) {}

  /**
   * Returns the event as the copy has it; null if that is byte by byte as it is here. The words of somebody whose key was destroyed are
   * sealed under a key that is not kept. @throws CannotSeal, Unavailable
   */
  async copyOf(received: ReceivedEvent): Promise<CopiedBytes | null> {
    const words = this.wordsIn(received);
    if (words === null) return null;
    const { clear, owner } = words;
    const key = (await this.keyOf(owner)) ?? randomBytes(keyBytes);
    const { payload, metadata } = sealStored(clear.present, clear.paths, owner.keyId, key);
    return { data: Buffer.from(JSON.stringify(payload)), metadata: Buffer.from(JSON.stringify(metadata)) };
  }

  /**
   * Whether an event of a copy is what `copyOf` made of this one; each sealing has other bytes, so it is opened. Null if the copy has to be
   * the same bytes. @throws CannotSeal, Unavailable
   */
  async isCopy(received: ReceivedEvent, there: ReceivedEvent): Promise<boolean | null> {
    const words = this.wordsIn(received);
    if (words === null) return null;
    const { clear, owner } = words;
    const copy = decodeOwn(there);
    if (copy === null || sealedUnder(copy) !== owner.keyId || !isSame(copy.metadata.sealed?.members, clear.paths))
      return false;
    const key = await this.keyOf(owner);
    const expected =
      key === null
        ? openEvent(sealStored(clear.present, clear.paths, owner.keyId, randomBytes(keyBytes)), null)
        : clear.present;
    const opened = openEvent(copy, key);
    return isSame(opened.payload, expected.payload) && isSame(opened.metadata, expected.metadata);
  }

  /** Returns the words in an event, and the key that seals them; null if it has none in clear. */
  private wordsIn(received: ReceivedEvent): { readonly clear: ClearEvent; readonly owner: SealedFor } | null {
    const stored = decodeOwn(received);
    if (stored === null) return null;
    const owner = this.ownerOf(stored);
    const clear = clearIn(stored);
    if (clear === null) return null;
    if (owner === null)
      throw new CannotSeal(`event ${stored.revision} of ${stored.stream} has words, and no event before it says whose`);
    return { clear, owner };
  }

  private ownerOf(stored: StoredEvent): SealedFor | null {
    const { stream } = stored;
    const known = this.owners.get(stream) ?? kindOf(stream)?.owner(stream) ?? null;
    if (known === null || typeof known !== 'function') return known;
    const owner = known(stored);
    this.owners.set(stream, owner ?? known);
    return owner;
  }

  /** Returns the key, which is made if there is none; null for a destroyed one. */
  private async keyOf(owner: SealedFor): Promise<Buffer | null> {
    try {
      return await this.keys.keyOf(owner);
    } catch (error) {
      if (error instanceof KeyDestroyed) return null;
      throw error;
    }
  }
}

function clearIn(stored: StoredEvent): ClearEvent | null {
  const kind = kindOf(stored.stream);
  const marks = kind?.members[stored.type];
  if (kind === null || sealedUnder(stored) !== null || !isMarks(marks) || kind.owner(stored.stream) === null)
    return null;
  const present = kind.present(stored);
  const { payload, metadata } = present;
  const members = { ...metadata.private, ...payload };
  const paths = [
    ...personalPathsOf(kind.members, stored.type).filter((path) => hasPath(members, path)),
    ...unmarkedIn(members, { ...marks, type: 'clear', at: 'clear' }),
  ];
  return paths.length === 0 ? null : { present, paths };
}

function isMarks(marks: Mark | Marks | undefined): marks is Marks {
  return typeof marks === 'object';
}

/**
 * The paths of members that no mark of this version names: an earlier version stored them, and what they hold is not known, so they are
 * sealed too.
 */
function unmarkedIn(members: JsonObject, marks: Marks, within = ''): string[] {
  return Object.entries(members).flatMap(([name, value]) => {
    const mark = Object.hasOwn(marks, name) ? marks[name] : undefined;
    if (mark === undefined && /[/:]/.test(name))
      throw new CannotSeal(`a member named ${name} is of no version of this product`);
    if (mark === undefined) return [`${within}${name}`];
    return isMarks(mark) && isJsonObject(value) ? unmarkedIn(value, mark, `${within}${name}/`) : [];
  });
}

function hasPath(members: JsonObject, path: string): boolean {
  let value: JsonObject[string] | undefined = members;
  for (const name of path.split('/')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, name)) return false;
    value = value[name];
  }
  return value !== undefined;
}

function isSame(one: unknown, other: unknown): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
