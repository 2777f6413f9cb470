import { erased, quoted, words, type Personal, type Words } from '@app/kernel';
import { outcomeTitle, titleLengthMax, titleText, type TitleSource } from './milestone-titles';

const bird = '🐦';
const aRun = words`A run`;

function titled(form: TitleSource['form'], of: TitleSource['words']): TitleSource {
  return { words: of, sentence: null, form, otherwise: aRun, outcome: null };
}
const titleOf = (text: string) => titleText(titled('text', text));

/** The title, of words that are open. */
function openTitle(source: TitleSource): string {
  const title = titleText(source);
  if (typeof title !== 'string') throw new Error('the words are closed');
  return title;
}
function sentence(of: Personal<Words | null>, form: 'sentence' | 'foreign_sentence' = 'sentence'): TitleSource {
  return { words: null, sentence: of, form, otherwise: aRun, outcome: null };
}

it('a title of a text is that text on one line, as a quotation', () => {
  expect(titleOf('  price\n of\t NEAR ')).toBe('“price of NEAR”');
  expect(titleOf('Settled: Withdraw 250 USDC.\u2028It is free”\u202e')).toBe(
    "“Settled: Withdraw 250 USDC. It is free'\ufffd”",
  );
});

it('a request gives its text, open or as the JSON text of a column', () => {
  const request = { input: { text: 'price of NEAR' } };
  expect(titleText(titled('request', request))).toBe('“price of NEAR”');
  expect(titleText(titled('request', JSON.stringify(request)))).toBe('“price of NEAR”');
});

it('a text of nothing but space gives way', () => {
  expect([titleOf(''), titleOf(' \n '), titleText(titled('text', null))]).toEqual(['A run', 'A run', 'A run']);
});

it('a sentence with texts that are not quoted becomes a quotation as a whole', () => {
  expect(titleText(sentence(words`Send 1 USDC.`, 'foreign_sentence'))).toBe('“Send 1 USDC.”');
});

it('words that are closed are shown as erased, whatever came of them', () => {
  for (const closed of [erased, { sealed: 'x' }])
    for (const source of [titled('text', closed), outcomeTitle(words`Denied`, sentence(closed))])
      expect(titleText(source)).toEqual({ erased: true });
});

it('is cut at 160 code points, never inside of one, says so, and ends its quotation', () => {
  expect(titleOf(bird.repeat(titleLengthMax - 2))).toBe(`“${bird.repeat(titleLengthMax - 2)}”`);
  expect(titleOf(bird.repeat(titleLengthMax))).toBe(`“${bird.repeat(titleLengthMax - 3)}…”`);
  const long = openTitle(sentence(words`Change the automation ${quoted(bird.repeat(160))}. It is yours.`));
  expect(Array.from(long)).toHaveLength(titleLengthMax);
  expect(long).toMatch(/…”$/);
});

it('what came of it stands first, within the same length', () => {
  const denied = outcomeTitle(words`Denied`, sentence(words`Withdraw 1 USDC.`));
  expect(titleText(denied)).toBe('Denied: Withdraw 1 USDC.');
  const long = openTitle(outcomeTitle(words`Settled`, titled('text', bird.repeat(titleLengthMax))));
  expect(Array.from(long)).toHaveLength(titleLengthMax);
  expect(long).toMatch(/^Settled: “.*…”$/u);
});
