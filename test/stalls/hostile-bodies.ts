/** About the size limit of a JSON body, less room for what surrounds the text. */
const lengthMax = 250_000;

/** Bodies that are expensive to read for any operation: as long as allowed, each in another way. */
const anyBodies: readonly string[] = [
  '{"a":'.repeat(lengthMax / 5),
  `{"a":${'['.repeat(31)}${filled('0,', '0')}${']'.repeat(31)}}`,
  `{${Array.from({ length: 25_000 }, (_, index) => `"k${index}":0`).join()}}`,
  `{${filled('"a":1,', '"a":1')}}`,
  `{${filled('"__proto__":{},', '"a":1')}}`,
  `{"a":[${filled('0.12345678901234567890123e-30,', '0')}]}`,
  `{"a":${'9'.repeat(lengthMax)}}`,
  `{"a":1e-${'9'.repeat(lengthMax)}}`,
  `{"a":0.${'0'.repeat(lengthMax)}1}`,
  `{"a":"${filled('\\u0000', '')}"}`,
  `{"a":[${filled('"\\ud800",', '""')}]}`,
  `{"a":[${filled('{"a":[]},', '0')}]}`,
  `{"a":"${'x'.repeat(lengthMax)}`,
];

const longTexts = ['a', '1', ' ', '.', '😀', '\u0301', '%', 'A/'].map((unit) =>
  unit.repeat(lengthMax / 4 / unit.length),
);

/** The bodies above, and the well-formed body with an excessive value in place of each of its members. */
export function hostileBodies(wellFormed: object): readonly string[] {
  const replaced = Object.keys(wellFormed).flatMap((name) =>
    [...longTexts, manyMembers(), Array.from({ length: 60_000 }, () => 0)].map((value) =>
      JSON.stringify({ ...wellFormed, [name]: value }),
    ),
  );
  const crowded = JSON.stringify({ ...wellFormed, ...manyMembers() });
  return [...anyBodies, crowded, ...replaced];
}

/** Values for a query parameter, nearly as long as a URL may be. */
export const hostileQueries: readonly string[] = [
  ...['a', '1', '%20', '.', '%F0%9F%98%80', '%CC%81', '%25', '-', 'A_'].map((unit) =>
    unit.repeat(Math.floor(12_000 / unit.length)),
  ),
  `${'9'.repeat(6_000)}.${'9'.repeat(6_000)}`,
  `-1e${'9'.repeat(6_000)}`,
];

function manyMembers(): Record<string, number> {
  return Object.fromEntries(Array.from({ length: 15_000 }, (_, index) => [`/~${index}`, index]));
}

function filled(unit: string, end: string): string {
  return unit.repeat(Math.floor(lengthMax / unit.length)) + end;
}
