/** Every boolean of the settings is read by one rule, whose message says what it takes. */
import { messageOf } from '../test/environments';
import { readConfiguration, variables } from './configuration';

const rule = /must be true or false \(or yes, on, t, 1; no, off, f, 0\)/;
const lineOf = (name: string, value: string) =>
  messageOf({ PORT: 'wrong', [name]: value })
    .split('\n')
    .find((line) => line.startsWith(`  ${name}: `)) ?? '';
const booleans = Object.keys(variables).filter((name) => lineOf(name, 'perhaps').includes('true or false'));

it.each(booleans)('%s says what it takes', (name) => {
  for (const text of ['perhaps', 'y', '2', 'truth']) expect(lineOf(name, text)).toMatch(rule);
});

it('each spelling of the message is taken, in any case', () => {
  expect(booleans).toEqual(expect.arrayContaining(['WEBHOOK_ALLOW_PRIVATE', 'S3_FORCE_PATH_STYLE', 'LOG_REQUESTS']));
  const allowed = (text: string) => readConfiguration({ WEBHOOK_ALLOW_PRIVATE: text }).env.WEBHOOK_ALLOW_PRIVATE;
  for (const text of ['true', 'yes', 'on', 't', '1', 'TRUE', 'Yes'])
    expect([text, allowed(text)]).toEqual([text, true]);
  for (const text of ['false', 'no', 'off', 'f', '0', 'False', 'NO'])
    expect([text, allowed(text)]).toEqual([text, false]);
  expect(allowed('')).toBeUndefined();
});
