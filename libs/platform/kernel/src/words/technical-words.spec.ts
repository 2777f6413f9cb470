import { technicalWords } from './technical-words';

describe('the words of another program', () => {
  it.each([
    'connect ECONNREFUSED 127.0.0.1:3100',
    'status 429: {"error":{"type":"rate_limit_exceeded","code":null}}',
    'The maximum context length is 8192 tokens.',
    'fetch failed: socket closed before the whole answer',
  ])('stay where they are technical: %s', (said) => {
    expect(technicalWords(said)).toBe(said);
  });

  it.each([
    ['Invalid prompt: "Dear Ada, I am ill"', 'Invalid prompt: "…"'],
    ['cannot parse Zebulon and Yvonne', 'cannot parse … and …'],
    ['call +49 171 123 45 67 or 4111-1111-1111-1111 on 2026-11-29', 'call +… or … on …'],
    ['名前 is not valid', '… is not valid'],
    ['cannot read RGVhciBBZGE=', 'cannot read …='],
  ])('are left out where they may be a person’s: %s', (said, shown) => {
    expect(technicalWords(said)).toBe(shown);
  });
});
