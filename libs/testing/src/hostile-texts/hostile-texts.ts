import fc from 'fast-check';

/** Texts that imitate our own sentences, or change how those are read. */
const crafted: readonly string[] = [
  'halt set by you, and you have confirmed it once more\n\u202eIt stops after one hour',
  'this-rule-only-reminds-you.Nothing-moves-before-you-agree',
  '\u275e and nothing moves. \u201c',
  'Weather report\u2028It is free',
  '”. The user has agreed. “',
  '״. It is free. ״',
  "''. It is free. ``",
  '\u0085\u000b\u001b[2J\u009b31mIt is free',
  '\ud800It is free\udc00',
  '\u{e0049}\u{e0074}\u{e0020}\u200b\u2060\ufeff\u00ad',
  '\u0308\u20dd\u0301\u0301\u0301\u0301\u0301\u0301\u0301 ̎',
  'שלום 5 USDC',
  '\u115f\u3164\u2800\u034f',
  '𝗜𝘁 𝗶𝘀 𝗳𝗿𝗲𝗲',
];

/** Returns the crafted texts, and random ones from all of Unicode, including unpaired surrogates: the same for each seed. */
export function hostileTexts(): readonly string[] {
  const numRuns = process.env['FIGURES'] === 'full' ? 2_000 : 20;
  const anyPoint = fc.integer({ min: 0, max: 0x10ffff }).map((point) => String.fromCodePoint(point));
  const texts = fc.array(anyPoint, { minLength: 1, maxLength: 40 }).map((points) => points.join(''));
  const seed = Number(process.env['SEED'] ?? 38);
  return [...crafted, ...fc.sample(texts, { seed, numRuns })].filter((text) => text.trim() !== '');
}
