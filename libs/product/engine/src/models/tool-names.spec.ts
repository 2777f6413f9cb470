import { ToolNames } from './tool-names';

describe('ToolNames', () => {
  it('leaves a name that fits', () => expect(new ToolNames().outward('wallet_balances-2')).toBe('wallet_balances-2'));

  it('makes names fit, each its own, and finds them back', () => {
    const names = new ToolNames();
    const tools = ['a.b', 'a b', 'a_b', '', '🐦', 'x'.repeat(70), 'x'.repeat(71)];
    const outward = tools.map((tool) => names.outward(tool));
    expect(outward.every((name) => /^[A-Za-z0-9_-]{1,64}$/.test(name))).toBe(true);
    expect(new Set(outward).size).toBe(tools.length);
    expect(outward.map((name) => names.inward(name))).toEqual(tools);
    expect(tools.map((tool) => names.outward(tool))).toEqual(outward);
  });

  it('keeps a name that nobody told, within a bound', () => {
    expect(new ToolNames().inward('y'.repeat(100))).toBe('y'.repeat(64));
  });
});
