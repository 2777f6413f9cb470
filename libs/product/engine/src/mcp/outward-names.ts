import { createHash } from 'node:crypto';

/** Names of tools that every provider of models accepts. */
const grammar = /^[A-Za-z0-9_-]{1,64}$/;
const outside = /[^A-Za-z0-9_-]/gu;
const lengthMax = 64;
const digestLength = 8;

/**
 * Maps a server's own names of tools to those that models and profiles see: `<server>_<tool>`. Characters outside of our grammar become
 * `_`. If that is another tool's name, or too long, the beginning of a digest of the own name makes it unique. The names depend on the list
 * alone, not on its order or the process.
 */
export function outwardNames(
  server: string,
  names: readonly string[],
  taken: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const plain = new Map(names.map((name) => [name, `${server}_${name}`.replace(outside, '_')]));
  const counts = new Map<string, number>();
  for (const mapped of plain.values()) counts.set(mapped, (counts.get(mapped) ?? 0) + 1);
  const outward = (name: string, mapped: string) => {
    const exact = `${server}_${name}`;
    if (grammar.test(exact)) return exact;
    const ofItsOwn = mapped.length <= lengthMax && counts.get(mapped) === 1 && !taken.has(mapped);
    return ofItsOwn ? mapped : withDigest(mapped, name);
  };
  return new Map([...plain].map(([name, mapped]) => [name, outward(name, mapped)]));
}

function withDigest(mapped: string, name: string): string {
  const digest = createHash('sha256').update(name).digest('hex').slice(0, digestLength);
  return `${mapped.slice(0, lengthMax - digestLength - 1)}_${digest}`;
}
