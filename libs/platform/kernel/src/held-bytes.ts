/** Of an object or a list, beside what stands in it. */
const objectBytes = 56;
/** Of a member: its place, the name or index that leads to it, and the number that it may be. */
const memberBytes = 24;
/** Of a string, beside its characters. */
const stringBytes = 24;
/** Of a character, in a string of the engine at worst. */
const characterBytes = 2;

/** What one string takes up, as reckoned here. */
export function heldByText({ length }: string): number {
  return stringBytes + characterBytes * length;
}

/**
 * What a tree of plain values (a state, a document) takes up in memory, as bounds of caches reckon it: rather too much than too little.
 * What is shared counts each time. It looks at every member once, and makes nothing.
 */
export function heldBytes(value: unknown): number {
  if (typeof value === 'string') return heldByText(value);
  if (typeof value !== 'object' || value === null) return 0;
  let bytes = objectBytes;
  if (Array.isArray(value)) {
    for (const item of value) bytes += memberBytes + heldBytes(item);
    return bytes;
  }
  // Reason for the assertion: an object's members may be read by name, and nothing is taken for granted of what is found there.
  const members = value as Readonly<Record<string, unknown>>;
  for (const name in members) bytes += memberBytes + heldBytes(members[name]);
  return bytes;
}
