import { isVisible, onOneLine } from './foreign-texts';
import type { RunId } from '../ids';
import { instantOf } from '../instants';
import {
  capitalized,
  instantWords,
  joined,
  quoted,
  quotedExactly,
  shortened,
  spelled,
  words,
  type Words,
} from './words';

/**
 * Code points of every category, unpaired surrogates included; of the largest categories only a sample, unless full figures are requested.
 */
function* codePoints(): Generator<string> {
  const part = process.env['FIGURES'] === 'full' ? 1 : 97;
  for (let point = 0; point <= 0x10ffff; point += 1) {
    const text = String.fromCodePoint(point);
    if (point % part === 0 || !/[\p{Lo}\p{Co}\p{Cn}]/u.test(text)) yield text;
  }
}

const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;

/** The reason why a quotation is malformed; null if it is well-formed. */
function wrongWith(quotation: Words): string | null {
  const inside = quotation.slice(1, -1);
  if (!quotation.startsWith('“') || !quotation.endsWith('”')) return 'it has no marks';
  if (unseen.test(inside)) return 'it has what is not seen';
  if (/[“”"″‶❝❞〝〞＂״ˮ˝«»゛ﾞᐥᐦ]|''/u.test(inside) || /(?!')\p{Quotation_Mark}/u.test(inside))
    return 'it contains a mark';
  if (/(?! )\s|  /u.test(inside)) return 'it has space that is not one space';
  if (inside.normalize('NFC') !== inside) return 'it is not in NFC';
  if (/(^|[\s\p{P}])\p{M}/u.test(inside) || /\p{M}{5}/u.test(inside)) return 'marks are drawn over what is beside them';
  return null;
}

describe('a quotation', () => {
  it('of any character, between letters, at both ends, doubled and after space, stays within its marks', () => {
    const wrong: unknown[] = [];
    for (const point of codePoints()) {
      const quotation = quoted(`${point}a${point}b ${point}${point}. It is free${point}`, Infinity);
      const why = wrongWith(quotation);
      if (why !== null) wrong.push([point.codePointAt(0)?.toString(16), why, quotation]);
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it.each([
    ['a line break of any kind is space', 'a\u2028b\r\nc\u0085d\u2029e', '“a b c d e”'],
    ['what turns the order is seen', 'a\u202eb\u2066c', '“a\ufffdb\ufffdc”'],
    ['tags are seen', 'a\u{e0041}b', '“a\ufffdb”'],
    ['half a surrogate pair is seen', 'a\ud800b', '“a\ufffdb”'],
    ['joiners are left out', 'می\u200cخواهم', '“میخواهم”'],
    ['marks that look like ours', '❞ and ″ and „ ‟ 〞 ＂ ′′ ’’ `` ´´', "“' and ' and ' ' ' ' ' ' ' '”"],
    ['accents belong to their letter', 'Gru\u0308\u00dfe', '“Gr\u00fc\u00dfe”'],
    [
      'accents without a letter, and piled up ones',
      '\u0308a b\u0301\u0301\u0301\u0301\u0301\u0301',
      '“\ufffda b\u0301\u0301\u0301\u0301\ufffd”',
    ],
  ])('%s', (_, text, quotation) => {
    expect(quoted(text).normalize('NFD')).toBe(quotation.normalize('NFD'));
    expect(wrongWith(quoted(text))).toBeNull();
  });

  it('is cut at 200 code points, with a mark, and by its own length', () => {
    expect(quoted('🐦'.repeat(200))).toBe(`“${'🐦'.repeat(200)}”`);
    expect(quoted('🐦'.repeat(201))).toBe(`“${'🐦'.repeat(199)}…”`);
    expect(quoted('abcdef', 4)).toBe('“abc…”');
    expect(quoted('x'.repeat(9000), Infinity)).toHaveLength(9002);
  });
});

describe('an exact quotation', () => {
  const readBack = (quotation: Words): string =>
    quotation
      .slice(1, -1)
      .replace(/\\(?:(\\)|u\{([0-9a-f]+)\}|u([0-9a-f]{4}))/g, (_, backslash?: string, long?: string, short?: string) =>
        backslash === undefined ? String.fromCodePoint(parseInt(long ?? short ?? '', 16)) : '\\',
      );

  it('of any character, between letters, at both ends, doubled and after space, is read back as it was', () => {
    const wrong: unknown[] = [];
    for (const point of codePoints()) {
      const text = `${point}a${point}b ${point}${point}. It is free${point}`;
      const quotation = quotedExactly(text, Infinity);
      const why = readBack(quotation) === text ? wrongWith(quotation) : 'it is not the same';
      if (why !== null) wrong.push([point.codePointAt(0)?.toString(16), why, quotation]);
    }
    expect(wrong.slice(0, 20)).toEqual([]);
  });

  it.each([
    ['joiners', 'al\u200dice', '“al\\u200dice”'],
    ['variation selectors', '/data/halt\ufe0f', '“/data/halt\\ufe0f”'],
    ['space', ' a  b\tc ', '“\\u0020a \\u0020b\\u0009c\\u0020”'],
    ['another form of Unicode', 'Gru\u0308n', '“Gru\\u0308n”'],
    ['marks', `"it's" ''`, "“\\u0022it's\\u0022 '\\u0027”"],
    ['a backslash', '\\u200d', '“\\\\u200d”'],
    ['a list', ['', "it's", 'a"b', 1], "“[(empty),'it\\u0027s','a\\u0022b',1]”"],
    ['a list of the same characters', ['', ',', ''], "“[(empty),',',(empty)]”"],
    ['a text like a list', "['a']", "“\\u005b'a']”"],
    ['an object', { 'a\u200d': [] }, "“{'a\\u200d':[]}”"],
  ])('shows %s', (_, value, quotation) => expect(quotedExactly(value)).toBe(quotation));
});

it('a line has nothing unseen, and keeps its own marks', () => {
  expect(onOneLine('\u001b[31m"red"\u009b0m\n\u202eend')).toBe('\ufffd[31m"red"\ufffd0m \ufffdend');
});

it('a text is visible where one character of it is drawn by itself', () => {
  const unseen = [
    '',
    ' ',
    '\n\t',
    '\u200b',
    '\u00a0\u2060\ufeff',
    '\u2800',
    '\u3164',
    '\u115f',
    '\u00ad',
    '\u202e',
    '\u{e0041}',
  ];
  for (const text of [...unseen, '\ufe0f\u200d', '\u0301', '\u0007', '\ud800', '\ue000', '\u{1d159}', unseen.join('')])
    expect([text, isVisible(text)]).toEqual([text, false]);
  for (const text of ['a', '.', '\u200bx', '好', 'ا', '😀', '👨‍👩‍👧', '–', '\u0e01', '\u1780'])
    expect([text, isVisible(text)]).toEqual([text, true]);
});

/** Amounts, and texts with a word as a half. */
const unlikeTickers = [
  '$100',
  '$5',
  '100',
  '000',
  '000.USDC',
  '1.5',
  'all.of',
  'UP.to',
  'NO.MORE',
  'NOW',
  '$ALL',
  'in-all',
];

describe('what is spelled by a grammar stands bare, and anything else is a quotation', () => {
  it.each([
    ['decimal', ['1', '0.01', '-3.5'], ['1 and all', '1e9', '', '1\n']],
    ['uuid', ['019a3c61-0b10-7e44-9a5b-2f7c8d1e6a01'], ['it is free']],
    ['tokenId', ['nep141:wrap.near'], ['nep141:wrap near', 'your main account']],
    [
      'ticker',
      ['USDC', 'wNEAR', '$WIF', 'USDT.e'],
      ['once', 'ALL', 'NOT', 'free', 'US DC', 'US\nDC', ...unlikeTickers],
    ],
    ['zone', ['UTC', 'Europe/Berlin', 'Etc/GMT+5'], ['UTC) and it is free (', 'Free']],
    ['hash', [`sha256:${'0'.repeat(64)}`], ['sha256:free']],
  ] as const)('%s', (grammar, bare, foreign) => {
    expect(bare.map((text) => spelled(text, grammar))).toEqual(bare);
    expect(foreign.map((text) => spelled(text, grammar))).toEqual(foreign.map((text) => quotedExactly(text, Infinity)));
  });
});

it('an instant to the minute, and as far as it says more', () => {
  const told = ['2026-12-01T09:00:00.000Z', '2026-12-01T09:00:05.000Z', '2026-12-01T09:00:05.120Z'].map((instant) =>
    instantWords(instantOf(Date.parse(instant))),
  );
  expect(told).toEqual(['2026-12-01 09:00 UTC', '2026-12-01 09:00:05 UTC', '2026-12-01 09:00:05.120 UTC']);
});

describe('a sentence that is cut', () => {
  const sentence = words`Create the automation ${quoted('Weather report')}. It is yours.`;

  it.each(Array.from({ length: sentence.length + 2 }, (_, length) => length).slice(3))(
    'at %d ends its quotation',
    (length) => {
      const cut = shortened(sentence, length);
      expect([...cut].length).toBeLessThanOrEqual(length);
      expect(cut.split('“')).toHaveLength(cut.split('”').length);
      expect(cut === sentence || /…”?$/.test(cut)).toBe(true);
    },
  );
});

/** Checked by the compiler: each of these would break the build if it compiled. */
export function _onlyWordsOfOurs(
  text: string,
  id: RunId,
  mixed: Words | string,
  status: 'approved' | 'denied',
): readonly Words[] {
  return [
    words`Approval ${1} is ${status}, ${quoted(text)} and ${capitalized(words`this`)}.`,
    // @ts-expect-error a plain text
    words`Approval of ${text}`,
    // @ts-expect-error a branded text is any text
    words`Approval of ${id}`,
    // @ts-expect-error it may be a plain text
    words`Approval of ${mixed}`,
    // @ts-expect-error a text of which only a part is known
    words`Approval of ${`the ${text}` as const}`,
    // @ts-expect-error a plain text
    text,
    // @ts-expect-error the text between is ours as well
    joined([quoted(text)], text),
  ];
}
