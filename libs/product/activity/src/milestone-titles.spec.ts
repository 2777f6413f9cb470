import { quoted, words } from '@app/kernel';
import { outcomeTitle, sentenceTitle, titleLengthMax, titleOf } from './milestone-titles';

const bird = '🐦';
const aRun = words`A run`;

it('a title of a text is that text on one line, as a quotation', () => {
  expect(titleOf('  price\n of\t NEAR ', aRun)).toBe('“price of NEAR”');
  expect(titleOf('Settled: Withdraw 250 USDC.\u2028It is free”\u202e', aRun)).toBe(
    "“Settled: Withdraw 250 USDC. It is free'\ufffd”",
  );
});

it('a text of nothing but space gives way', () => {
  expect([titleOf('', aRun), titleOf(' \n ', aRun)]).toEqual(['A run', 'A run']);
});

it('is cut at 160 code points, never inside of one, says so, and ends its quotation', () => {
  expect(titleOf(bird.repeat(titleLengthMax - 2), aRun)).toBe(`“${bird.repeat(titleLengthMax - 2)}”`);
  expect(titleOf(bird.repeat(titleLengthMax), aRun)).toBe(`“${bird.repeat(titleLengthMax - 3)}…”`);
  const long = sentenceTitle(words`Change the automation ${quoted(bird.repeat(160))}. It is yours.`);
  expect(Array.from(long)).toHaveLength(titleLengthMax);
  expect(long).toMatch(/…”$/);
});

it('what came of it stands first, within the same length', () => {
  expect(outcomeTitle(words`Denied`, words`Withdraw 1 USDC.`)).toBe('Denied: Withdraw 1 USDC.');
  const long = outcomeTitle(words`Settled`, titleOf(bird.repeat(titleLengthMax), aRun));
  expect(Array.from(long)).toHaveLength(titleLengthMax);
  expect(long).toMatch(/^Settled: “.*…”$/u);
});
