import fc from 'fast-check';
import { Cursors } from './cursors';

const secret = Buffer.alloc(32, 1).toString('base64');
const cursors = new Cursors(secret);
const binding = { list: 'runs.list', userId: 'u', filters: { conversationId: 'c' } };
const refused = { ok: false, refusal: { kind: 'reason', reason: 'invalid_cursor' } };

describe('cursors', () => {
  it('bring the sort keys back, on any replica, in any order of filters', () => {
    const text = cursors.mint({ ...binding, filters: { a: 1, b: 2 } }, [42, 'x', null]);
    expect(text).toMatch(/^[A-Za-z0-9_-]{1,256}$/);
    expect(new Cursors(secret).read({ ...binding, filters: { b: 2, a: 1 } }, text)).toEqual({
      ok: true,
      value: [42, 'x', null],
    });
  });

  it('are good for one list, user, set of filters and deployment', () => {
    const text = cursors.mint(binding, [1]);
    for (const other of [
      { ...binding, list: 'approvals.list' },
      { ...binding, userId: 'v' },
      { ...binding, filters: {} },
    ]) {
      expect(cursors.read(other, text)).toEqual(refused);
    }
    expect(new Cursors(Buffer.alloc(32, 2).toString('base64')).read(binding, text)).toEqual(refused);
  });

  it('are signed by the newest of several keys, and read with each of them', () => {
    const [oldest, newest] = [secret, Buffer.alloc(32, 2).toString('base64')];
    const both = new Cursors(`${newest},${oldest}`);
    expect(both.read(binding, new Cursors(oldest).mint(binding, [1]))).toEqual({ ok: true, value: [1] });
    const text = both.mint(binding, [2]);
    expect(new Cursors(newest).read(binding, text)).toEqual({ ok: true, value: [2] });
    expect(new Cursors(oldest).read(binding, text)).toEqual(refused);
  });

  it('are refused when anything about their text was altered', () => {
    const text = cursors.mint(binding, [123_456]);
    for (const altered of [
      '',
      'A',
      text.slice(1),
      `${text}A`,
      `${text}=`,
      ` ${text}`,
      `${text}!`,
      'A'.repeat(256),
      text + text,
      'A'.repeat(100_000),
    ]) {
      expect(cursors.read(binding, altered)).toEqual(refused);
    }
    for (let index = 0; index < text.length; index += 1) {
      const other = text[index] === 'A' ? 'B' : 'A';
      expect(cursors.read(binding, text.slice(0, index) + other + text.slice(index + 1))).toEqual(refused);
    }
    fc.assert(fc.property(fc.string(), (any) => expect(cursors.read(binding, any)).toEqual(refused)));
  });

  it('cannot be longer than a client may send', () => {
    expect(() => cursors.mint(binding, ['x'.repeat(200)])).toThrow(RangeError);
  });
});
