/** Overhead of an object or a list, on top of its members. */
const objectBytes = 56;
/** Bytes of a member: its slot, its name or index, and its value if that is a number. */
const memberBytes = 24;
/** Overhead of a string, on top of its characters. */
const stringBytes = 24;
/** Bytes of one character in a JavaScript string, at worst. */
const characterBytes = 2;

/** Estimated bytes of a string. */
export function heldByText({ length }: string): number {
  return stringBytes + characterBytes * length;
}

/**
 * Estimated memory of a tree of plain values (a state, a document), for the limits of caches; rather too high than too low. Shared values
 * count each time. Visits every member once, and allocates nothing.
 */
export function heldBytes(value: unknown): number {
  if (typeof value === 'string') return heldByText(value);
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = objectBytes;
  if (Array.isArray(value)) {
    for (const item of value) bytes += memberBytes + heldBytes(item);
    return bytes;
  }
  // Reason for the assertion: an object's members can be read by name, and nothing is assumed about their values.
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) bytes += memberBytes + heldBytes(members[name]);
  return bytes;
}
