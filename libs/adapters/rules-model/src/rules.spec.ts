import type { JsonValue } from '@app/kernel';
import { modelRequest } from '@app/testing/runs';
import { answerByRules } from './rules';
import { cpuMsOf } from '@app/testing/processes';

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

  it.each(['call docs_find {"word": ["a", {"n": 1}]}', '  Call   docs_find\n{ "word": ["a", {"n": 1}] } '])(
    'calls any tool of the run: %j',
    (input) => {
      const call = { tool: 'docs_find', input: { word: ['a', { n: 1 }] } };
      expect(asked(input, { tools: ['docs_find'] })).toEqual({ calls: [call] });
    },
  );

  it('says what the tool that it was told to call returned', () => {
    const text = (outcome: 'ok' | 'error', result: JsonValue) =>
      asked('call clock {}', { exchanges: [{ tool: 'clock', input: {}, outcome, result }] });
    expect(text('ok', { now: 1 })).toEqual({ text: 'clock returned {"now":1}' });
    expect(text('error', { error: 'no' })).toEqual({ text: 'clock returned error: {"error":"no"}' });
    const long = text('ok', '🐦'.repeat(5_000)) as { text: string };
    expect([...long.text].length).toBeLessThan(2_100);
  });

  it.each(['{"a": }', '{}x', '{"a": "\\u0000"}', `${'{"a":'.repeat(40)}1${'}'.repeat(40)}`])(
    'calls nothing with what is no input: %j',
    (json) => expect(asked(`call clock ${json}`)).toEqual({ text: expect.stringContaining('no JSON object') }),
  );

  it('calls nothing that the run may not use, and takes no other sentence for a call', () => {
    expect(asked('call docs_find {}')).toEqual({ text: expect.stringContaining('may not use the tool docs_find') });
    expect(asked('call me maybe')).toEqual({ text: expect.stringContaining('none of them fits') });
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
        `call${' '.repeat(32_000)}x`,
        `call x${' '.repeat(32_000)}y`,
        `call x ${'{"a":'.repeat(6_000)}`,
      ]) {
        expect(asked(input)).toHaveProperty('text');
      }
    });
    expect(spentMs).toBeLessThan(1_000);
  });
});
