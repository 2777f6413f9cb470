import { erased, isErased, parsedJson, type Erased, type Sealed } from '@app/kernel';
import type { KeyRing } from './key-ring';
import type { KeyId } from './key-store';
import { isSealedValue, placeOf } from './sealed-text';

/** A row whose named members are open, or erased. */
export type Opened<Row, Member extends keyof Row> = Omit<Row, Member> & {
  readonly [Name in Member]: Exclude<Row[Name], Sealed>;
};

/**
 * Opens members of rows that read models filled from sealed events. A column of text holds the JSON text of what is closed. Words whose key
 * was destroyed, or never existed here, and words whose bytes were altered, are erased. Reads the keys that are not in memory with one call. Throws Unavailable.
 * @example
 * const [row] = await openMembers(this.keys, rows, ['title']);
 */
export async function openMembers<Row extends object, Member extends keyof Row>(
  keys: KeyRing,
  rows: readonly Row[],
  members: readonly Member[],
): Promise<Opened<Row, Member>[]> {
  const closed = rows.map((row) => members.map((member) => closedIn(row[member])));
  const ids = closed.flat().flatMap((value) => (isSealedValue(value) ? keyIdOf(value) : []));
  const found = ids.length === 0 ? new Map<KeyId, null>() : await keys.keysOf(ids);
  return rows.map((row, index) => {
    const opened = { ...row };
    members.forEach((member, n) => {
      const value = closed[index]?.[n] ?? null;
      // Reason for the assertion: a sealed value opens to the value that was sealed.
      if (value !== null) opened[member] = openedWith(keys, found, value) as Row[Member];
    });
    // Reason for the assertion: none of these members is sealed any more.
    return opened as unknown as Opened<Row, Member>;
  });
}

function openedWith(keys: KeyRing, found: ReadonlyMap<KeyId, Buffer | null>, value: Sealed | Erased): unknown {
  if (!isSealedValue(value)) return erased;
  const key = found.get(keyIdOf(value)) ?? null;
  if (key === null) return erased;
  try {
    return keys.open(key, value);
  } catch {
    // Altered bytes are as good as gone; the log of all events names the event that they were copied from.
    return erased;
  }
}

const closedForm = /^\{"(?:sealed|erased)":/;

/** The closed value in a column, or null where the column has words that an earlier version wrote in clear. */
function closedIn(value: unknown): Sealed | Erased | null {
  const parsed = typeof value === 'string' && closedForm.test(value) ? parsedJson(value) : value;
  if (isSealedValue(parsed)) return parsed;
  return isErased(parsed) ? erased : null;
}

function keyIdOf(value: Sealed): KeyId {
  // Reason for the assertion: a sealed text names the key that it was sealed under.
  return placeOf(value).keyId as KeyId;
}

/**
 * As `openMembers`, for rows that PostgreSQL returned as JSON texts; `form` makes the item that the text then holds. Throws Unavailable.
 * @param members names of members that may be sealed
 */
export async function openTexts<Row extends { readonly text: string }>(
  keys: KeyRing,
  rows: readonly Row[],
  members: readonly string[],
  form: (item: Readonly<Record<string, unknown>>) => object = (item) => item,
): Promise<Row[]> {
  // Reason for the assertion: each text is the JSON of one row.
  const items = rows.map(({ text }) => JSON.parse(text) as Record<string, unknown>);
  const opened = await openMembers(keys, items, members);
  return rows.map((row, index) => ({ ...row, text: JSON.stringify(form(opened[index] ?? {})) }));
}
