import { askedBytes } from './byte-ranges';

const tag = '"abc"';
const asked = (headers: Record<string, string>, method = 'GET') => askedBytes(method, headers, tag, 10);
const part = (from: number, to: number) => ({ kind: 'part', range: { from, to } });
const [whole, unchanged, outside] = [{ kind: 'whole' }, { kind: 'unchanged' }, { kind: 'outside' }];

describe('a range', () => {
  it.each([
    ['bytes=0-0', part(0, 0)],
    ['bytes=2-5', part(2, 5)],
    ['Bytes=2-', part(2, 9)],
    ['bytes=9-', part(9, 9)],
    ['bytes=0-99999999999999999999', part(0, 9)],
    ['bytes=-3', part(7, 9)],
    ['bytes=-11', part(0, 9)],
    ['bytes=10-', outside],
    ['bytes=99999999999999999999-', outside],
    ['bytes=-0', outside],
    // Invalid, or several: answered with the whole.
    ['bytes=5-2', whole],
    ['bytes=0-1,4-5', whole],
    ['bytes=-', whole],
    ['bytes=', whole],
    ['bytes=a-b', whole],
    ['lines=0-1', whole],
    ['', whole],
  ])('%p', (range, outcome) => {
    expect(asked({ range })).toEqual(outcome);
    expect(asked({ range }, 'HEAD')).toEqual(whole);
  });

  it('counts only for the bytes that it was meant for', () => {
    expect(asked({ range: 'bytes=0-1', 'if-range': tag })).toEqual(part(0, 1));
    for (const other of ['"other"', `W/${tag}`, 'Sat, 21 Nov 2026 08:00:00 GMT'])
      expect(asked({ range: 'bytes=0-1', 'if-range': other })).toEqual(whole);
  });
});

describe('If-None-Match', () => {
  it.each(['"abc"', 'W/"abc"', '"x", "abc"', '*', ' * '])(
    '%p is what there is, whatever range is asked for',
    (known) => {
      for (const method of ['GET', 'HEAD'])
        expect(asked({ 'if-none-match': known, range: 'bytes=20-' }, method)).toEqual(unchanged);
    },
  );

  it.each(['abc', '"abcd"', '', '"x"'])('%p is not', (known) => {
    expect(asked({ 'if-none-match': known })).toEqual(whole);
  });
});
