import { heldBytes, heldByText } from './held-bytes';

describe('what values take up', () => {
  it('is nothing for what a member holds by itself', () => {
    expect([null, undefined, true, 7].map(heldBytes)).toEqual([0, 0, 0, 0]);
  });

  it('grows with every character, item and member, however deep', () => {
    const sizes = [
      {},
      { a: 1 },
      { a: 1, b: '' },
      { a: 1, b: 'text' },
      { a: 1, b: ['text'] },
      { a: { b: ['text', 1] } },
    ];
    expect(sizes.map(heldBytes)).toEqual([...sizes.map(heldBytes)].sort((one, other) => one - other));
    expect(heldBytes({ deep: [{ text: 'x'.repeat(10_000) }] })).toBeGreaterThan(20_000);
    expect(heldBytes('x'.repeat(10_000))).toBe(heldByText('x'.repeat(10_000)));
  });
});
