import { failureWords } from './failure-words';
import { TookTooLong, Unavailable } from '../unavailable';

it('names what is away, and why', () => {
  const cause = new Error('canceling statement due to lock timeout');
  expect(failureWords(new TookTooLong('database', { cause }))).toBe(
    'the database did not answer: canceling statement due to lock timeout',
  );
});

it('says each message once, however often it was wrapped', () => {
  const driver = new Error('connect ECONNREFUSED 127.0.0.1:5432');
  const wrapped = new Error(driver.message, { cause: driver });
  expect(failureWords(new Unavailable('database', { cause: wrapped }))).toBe(
    'the database did not answer: connect ECONNREFUSED 127.0.0.1:5432',
  );
});

it('ends where causes go round', () => {
  const error = new Error('a');
  error.cause = new Error('b', { cause: error });
  expect(failureWords(error)).toBe('a: b');
});

it.each([
  ['a text', 'a text'],
  [undefined, 'unknown'],
  [new Error(''), 'unknown'],
])('says %p as %p', (thrown, words) => {
  expect(failureWords(thrown)).toBe(words);
});

it('leaves out values that an error quotes', () => {
  const parsed = (() => {
    try {
      return JSON.parse('zebulon');
    } catch (error) {
      return error;
    }
  })();
  const refused = Object.assign(new Error('invalid input syntax for type uuid: "zebulon"'), { code: '22P02' });
  const told = failureWords(new Error('it broke', { cause: parsed }));
  expect(told).toMatch(/^it broke: Unexpected token/);
  expect(told).not.toContain('zebulon');
  expect(failureWords(refused)).toBe('invalid input syntax for type uuid: "…"');
  expect(failureWords(new Error('about zebulon'))).toBe('about zebulon');
});
