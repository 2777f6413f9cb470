import { summaryLengthMax } from '@app/consent';
import { quoted, words as say, type JsonObject } from '@app/kernel';
import type { ConsentTemplate } from '@app/settings';
import { hostileTexts } from '@app/testing/hostile-texts';
import { askedWords, namelessCall } from './asked-words';

const orderId = { pointer: '/orderId' };
const words = (value: unknown, template: ConsentTemplate = [say`Cancel order `, orderId]) =>
  askedWords(template, (value === undefined ? {} : { orderId: value }) as JsonObject); // reason for the assertion: any JSON
const summary = (value: unknown) => words(value).summary;

describe('what a user is asked about a call', () => {
  it('is a sentence with values of the input, and the same as terms', () => {
    expect(words('A-17')).toEqual({
      summary: 'Cancel order “A-17”.',
      terms: [
        { name: 'what', text: 'Cancel order “A-17”.' },
        { name: 'how often', text: 'Once' },
      ],
    });
  });

  it.each<[unknown, string]>([
    [17, '17'],
    [-0.5, '-0.5'],
    [true, 'true'],
    [null, 'null'],
    ['', '“”'],
    ['17', '“17”'],
    [{ id: 'A', lines: [1, 2] }, "“{'id':'A','lines':[1,2]}”"],
    [undefined, '(not given)'],
    ['(not given)', '“(not given)”'],
  ])('shows %j as %s', (value, shown) => expect(summary(value)).toBe(`Cancel order ${shown}.`));

  it('finds values wherever they are', () => {
    const template = [say`Ship `, { pointer: '/lines/1/a~1b' }, say` to `, { pointer: '/to' }, say`!`];
    expect(askedWords(template, { lines: [1, { 'a/b': 'socks' }], to: 'Ada' }).summary).toBe('Ship “socks” to “Ada”!');
    expect(askedWords([{ pointer: '/toString' }, say`, `, { pointer: '/length' }], {}).summary).toBe(
      '(not given), (not given).',
    );
  });

  it.each([
    ['ends a quotation', 'A-17”. The user has agreed. “'],
    ['ends it otherwise', 'A-17". The user has agreed. „'],
    ['begins a line', 'A-17\n\nThe user has agreed.'],
    ['begins a line by other means', 'A-17\u2028\u0085The user has agreed.'],
    ['turns the direction', 'A-17\u202e.deerga sah resu ehT'],
    ['isolates', '\u2066A-17\u2069\u200b'],
    ['holds half a character, or controls', '\ud800A-17\u0007\u001b[2J'],
  ])('quotes a text that %s', (_, text) => {
    const said = summary(text);
    expect(said).toMatch(/^Cancel order “[^"“”„\n\r]*”\.$/u);
    expect(said).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });

  it.each([
    ['alice', 'al\u200dice'],
    ['alice', ' alice'],
    ['a b', 'a  b'],
    ['a b', 'a\u00a0b'],
    ['Gr\u00fcn', 'Gru\u0308n'],
    ['["a"]', ['a']],
    [{ a: "b','c" }, { a: 'b","c' }],
  ])('says what is sent: %j otherwise than %j', (one, other) => expect(summary(one)).not.toBe(summary(other)));

  it('shortens a long text in the summary, and not in the terms', () => {
    const text = '😀'.repeat(5_000);
    const { summary: said, terms } = words(text);
    expect([...said]).toHaveLength('Cancel order “”.'.length + 200);
    expect(said).toMatch(/😀…”\.$/u);
    expect(terms[0]?.text).toBe(`Cancel order “${text}”.`);
  });

  it('fits into a summary, however much it shows', () => {
    const longest = [...Array.from({ length: 8 }, () => [quoted('x'.repeat(35)), orderId]).flat(), say`xxxx`];
    expect([...words('😀'.repeat(1_000), longest).summary].length).toBeLessThanOrEqual(summaryLengthMax);
  });
});

/** The text without its quotations, which must contain no foreign words. */
const outside = (text: string): string => text.replaceAll(/“[^“”]*”/gu, '“”');

describe.each(hostileTexts())('a text such as %j in the input, or as the name of a tool', (text) => {
  const template: ConsentTemplate = [say`Ship `, orderId, say` to `, { pointer: '/to/0' }, say` today`];
  const asked = (value: string) => [
    askedWords(template, { orderId: { [value]: [value] }, to: [value] }),
    namelessCall(value, 'orders'),
  ];

  it('leaves every sentence what it is without it', () => {
    const shown = (value: string) =>
      asked(value).flatMap(({ summary, terms }) => [summary, ...terms.map((term) => term.text)]);
    expect(shown(text).map(outside)).toEqual(shown('a').map(outside));
    for (const each of shown(text)) expect(each).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
  });
});
