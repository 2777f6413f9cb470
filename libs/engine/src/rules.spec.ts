import type { JsonValue } from '@app/kernel';
import { modelRequest } from '../test/model-request';
import { answerByRules } from './rules';
import { cpuMsOf } from '../../../test/support/cpu-time';

interface Asked {
  readonly tools?: readonly string[];
  readonly exchanges?: readonly { tool: string; input: object; outcome: 'ok' | 'error'; result: JsonValue }[];
  readonly outputSchema?: JsonValue;
}
const asked = (input: string, { tools = ['current_time'], exchanges = [], outputSchema = null }: Asked = {}) =>
  answerByRules(
    modelRequest(
      input,
      exchanges.map((one) => ({ ...one, input: {} })),
      tools,
      outputSchema,
    ),
  );
const told = (outcome: 'ok' | 'error', result: JsonValue) => ({
  exchanges: [{ tool: 'current_time', input: {}, outcome, result }],
});

describe('the rules model', () => {
  it.each([
    ['repeat after me: hello', 'hello'],
    ['  REPEAT\tAfter  Me :   Hello,  World!  ', 'Hello,  World!  '],
    ['repeat after me:x', 'x'],
    ['repeat after me: a\n b\r\n', 'a\n b\r\n'],
    ['repeat after me: repeat after me: 🐦', 'repeat after me: 🐦'],
  ])('repeats %j to the letter', (input, text) => expect(asked(input)).toEqual({ text }));

  it.each(['what time is it', 'What  TIME is\nit?', "what's the time", 'what is the time!?'])(
    'asks the clock: %j',
    (input) => {
      expect(asked(input)).toEqual({ calls: [{ tool: 'current_time', input: {} }] });
    },
  );

  it('asks the clock for a zone', () => {
    const call = { tool: 'current_time', input: { timezone: 'Europe/Berlin' } };
    expect(asked('what time is it in Europe/Berlin?')).toEqual({ calls: [call] });
  });

  it('says what the clock said', () => {
    const result = { local: '2026-03-01 11:00:00', timezone: 'Europe/Berlin', now: '2026-03-01T10:00:00.000Z' };
    const text = 'It is 2026-03-01 11:00:00 in Europe/Berlin.';
    expect(asked('what time is it in Europe/Berlin', told('ok', result))).toEqual({ text });
    for (const broken of [told('error', { error: 'no' }), told('ok', null), told('ok', { local: 5, timezone: null })]) {
      expect(asked('what time is it', broken)).toEqual({ text: 'I could not read the clock.' });
    }
  });

  it('says so when it may not use the clock', () => {
    expect(asked('what time is it', { tools: [] })).toEqual({ text: expect.stringContaining('may not use') });
  });

  it('helps, and is honest about what it is when it does not understand', () => {
    for (const input of ['help', ' HELP? ', 'tell me a joke', 'repeat after me:', 'repeat after me: ', '🐦']) {
      const { text } = asked(input) as { text: string };
      expect(text).toContain('parley/rules');
      for (const line of ['repeat after me', 'what time is it', 'help']) expect(text).toContain(line);
    }
    expect(asked('tell me a joke')).toEqual({ text: expect.stringContaining('none of them fits') });
  });

  it('answers by the schema when there is one', () => {
    const outputSchema = { type: 'object', properties: { n: { type: 'integer', minimum: 2 } }, required: ['n'] };
    expect(asked('anything', { outputSchema })).toEqual({ text: '{"n":2}' });
    expect(asked('x', { outputSchema: { type: 'integer', minimum: 2, maximum: 1 } })).toEqual({ text: 'null' });
  });

  it('takes no time over a hostile text', () => {
    const spentMs = cpuMsOf(() => {
      for (const input of [
        ' '.repeat(32_768),
        `repeat${' '.repeat(32_000)}x`,
        `${'?!.'.repeat(10_000)}x`,
        '\n'.repeat(32_768),
      ]) {
        expect(asked(input)).toHaveProperty('text');
      }
    });
    expect(spentMs).toBeLessThan(1_000);
  });
});
