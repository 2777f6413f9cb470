import type { JsonObject } from '@app/kernel';
import { modelRequest } from '@app/testing/runs';
import type { OfferedArtifact } from '@app/engine';
import { answerByRules } from './rules';

const artifact = (artifactId: string, name: string): OfferedArtifact => ({
  artifactId,
  name,
  mediaType: 'text/plain',
  bytes: 20,
});
const artifacts = [
  artifact('1', 'notes.txt'),
  artifact('2', 'notes.txt'),
  artifact('3', 'Notes'),
  artifact('4', 'notes'),
];

function asked(input: string, read?: { readonly outcome: 'ok' | 'error'; readonly result: JsonObject }) {
  const exchanges = read === undefined ? [] : [{ tool: 'artifact_read', input: {}, ...read }];
  return answerByRules({ ...modelRequest(input, exchanges, ['artifact_read']), artifacts });
}

const calls = (artifactId: string) => ({ calls: [{ tool: 'artifact_read', input: { artifactId } }] });
const read = (text: string, more: JsonObject = {}) => ({
  outcome: 'ok' as const,
  result: { text, totalLength: text.length, truncated: false, ...more },
});

describe('summarize', () => {
  it.each([
    ['summarize notes.txt', '2'],
    ['  SUMMARISE \t notes.txt. ', '2'],
    ['summarize NOTES.TXT', '2'],
    ['summarize Notes', '3'],
    ['summarize notes!', '4'],
    ['summarize NOTES', '4'],
  ])('%j reads the newest file of that name', (input, id) => expect(asked(input)).toEqual(calls(id)));

  it('knows no file that is not there', () =>
    expect(asked('summarize other.txt')).toEqual({ text: 'This conversation has no file other.txt.' }));

  it('counts and quotes, and pretends no more', () => {
    const { text } = asked('summarize notes.txt', read('One. Two!\nThree? Four.\n')) as { text: string };
    expect(text).toContain(
      'notes.txt is text/plain, 20 bytes. It has 2 lines and 4 words. It begins: “One. Two! Three?”',
    );
    expect(text).toContain('understand none of it');
  });

  it('says what it has not seen', () => {
    const partly = read('One two', { truncated: true, totalLength: 99 });
    expect(asked('summarize notes.txt', partly)).toMatchObject({
      text: expect.stringContaining(
        'The beginning that I read, of 99 characters in all, has 1 line and 2 words.',
      ) as unknown,
    });
    expect(asked('summarize notes.txt', { outcome: 'error', result: { error: 'it is gone' } })).toEqual({
      text: 'notes.txt is text/plain, 20 bytes. I could not read it: it is gone.',
    });
  });

  it.each(['', ' \n ', '.', '!'.repeat(50_000), 'a'.repeat(50_000), 'a '.repeat(50_000), '😀'.repeat(9_000)])(
    'answers shortly, whatever the text is',
    (text) => {
      const answer = asked('summarize notes.txt', read(text)) as { text: string };
      expect(answer.text.length).toBeLessThan(1_000);
      expect(answer.text).not.toMatch(/\p{Surrogate}/u);
    },
  );
});
