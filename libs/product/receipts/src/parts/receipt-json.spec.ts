import fc from 'fast-check';
import { parseExactJson, receiptDepthMax } from './receipt-json';

const twice = 'has a member twice';
const half = 'has half of a surrogate pair';

describe('JSON that every parser reads alike', () => {
  it.each([
    '{}',
    '[]',
    'null',
    '""',
    ' {"a":[1,-0,1e3,"\\u00e9😀",null,true,{"a":{"a":":"}}],"b":"\\ud83d\\ude00", "":"\\\\", "\\"":"\\":{}"} ',
    '{"__proto__":{"a":1},"constructor":2,"hasOwnProperty":3}',
    '[{"a":1},{"a":1}]',
    '["\\\\ud800"]',
  ])('is taken unchanged: %s', (text) => expect(parseExactJson(text)).toEqual(JSON.parse(text)));

  it.each([
    ['{"a":1,"a":2}', twice],
    ['{"a":1,"a":1}', twice],
    ['{"a":1,"\\u0061":2}', twice],
    ['{"\\n":1,"\\u000a":2}', twice],
    ['{"":1,"":1}', twice],
    ['[[{"b":{"x":"{:","a:":1,"a:":{}}}]]', twice],
    ['{"__proto__":1,"__proto__":{}}', twice],
    ['{"a":{"a":1},"a":{"a":1}}', twice],
    ['"\\ud800"', half],
    ['["\\uDE00\\uD83D"]', half],
    ['{"\\udfff":1}', half],
    ['["\ud800"]', half],
  ])('has no member twice, and no half of a pair: %s', (text, message) =>
    expect(() => parseExactJson(text)).toThrow(new SyntaxError(message)),
  );

  it.each(['', '{', '{"a":1,}', '[NaN]', '\ufeff{}', "{'a':1}"])('is JSON, which %s is not', (text) =>
    expect(() => parseExactJson(text)).toThrow(SyntaxError),
  );

  it.each([
    ['lists', '[', ']'],
    ['objects', '{"a":', '}'],
  ])('has no more levels of %s than the limit', (_, begin, end) => {
    const nested = (levels: number) => `${begin.repeat(levels)}"[[{"${end.repeat(levels)}`;
    const siblings = `[${Array.from({ length: 300 }, () => nested(2)).join()}]`;
    for (const text of [nested(receiptDepthMax), siblings]) expect(parseExactJson(text)).toEqual(JSON.parse(text));
    for (const levels of [receiptDepthMax + 1, 100_000])
      expect(() => parseExactJson(nested(levels))).toThrow(new SyntaxError('is nested over 128 levels'));
  });

  it('takes whatever was serialized, and refuses it with a member repeated anywhere', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 5 }), fc.nat(), (value, nth) => {
        const text = JSON.stringify(value);
        if (/\\ud/.test(text)) return;
        expect(parseExactJson(text)).toEqual(JSON.parse(text));
        const objects = [...text.matchAll(/\{(?=")/g)].map(({ index }) => index);
        const at = objects[nth % (objects.length || 1)];
        const repeated =
          at !== undefined && `${text.slice(0, at)}{"twice":0,"twice":${text.slice(at)},${text.slice(at + 1)}`;
        if (repeated !== false && isJson(repeated)) expect(() => parseExactJson(repeated)).toThrow(twice);
      }),
    );
  });

  it('may be long', () => {
    const members = Array.from({ length: 50_000 }, (_, nth) => `"m${nth}":"\\\\"`);
    expect(() => parseExactJson(`{${members.join(',')}}`)).not.toThrow();
    expect(() => parseExactJson(`{${[...members, '"m7":0'].join(',')}}`)).toThrow(twice);
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
