import { outcomeTitle, titleLengthMax, titleOf } from './milestone-titles';

const bird = '🐦';

it('a title is the text on one line', () => {
  expect(titleOf('  price\n of\t NEAR ', 'A run')).toBe('price of NEAR');
});

it('a text of nothing but space gives way', () => {
  expect([titleOf('', 'A run'), titleOf(' \n ', 'A run')]).toEqual(['A run', 'A run']);
});

it('is cut at 160 code points, never inside of one, and says so', () => {
  expect(titleOf(bird.repeat(titleLengthMax), '')).toBe(bird.repeat(titleLengthMax));
  expect(titleOf(bird.repeat(titleLengthMax + 1), '')).toBe(`${bird.repeat(titleLengthMax - 1)}…`);
  expect(titleOf(`${'a'.repeat(158)} ${'b'.repeat(20)}`, '')).toBe(`${'a'.repeat(158)}…`);
});

it('what came of it stands first, within the same length', () => {
  expect(outcomeTitle('Denied', 'Withdraw 1 USDC.')).toBe('Denied: Withdraw 1 USDC.');
  expect(Array.from(outcomeTitle('Settled', bird.repeat(titleLengthMax)))).toHaveLength(titleLengthMax);
});
