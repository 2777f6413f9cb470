import { readConfiguration } from '@app/settings';
import { createPino, PinoNestLogger } from './logging';

const secret = 'pk_live_7Qb2';

/** The lines that the logger writes during `write`. */
function logged(write: (logger: PinoNestLogger) => void, level = 'debug'): Record<string, unknown>[] {
  const lines: string[] = [];
  const configuration = readConfiguration({ LOG_LEVEL: level });
  write(new PinoNestLogger(createPino(configuration, 'test', { write: (line) => void lines.push(line) })));
  return lines.map((line) => JSON.parse(line));
}

describe('logs', () => {
  it('are lines of JSON with a level, a time, the component and the class that wrote them', () => {
    const [line] = logged((logger) => logger.warn('a thing happened', 'Widget'));
    expect(line).toMatchObject({ level: 'warn', component: 'test', pid: process.pid, context: 'Widget' });
    expect(line).toMatchObject({ msg: 'a thing happened', time: expect.stringMatching(/^\d{4}-.*Z$/) });
  });

  it('start at the configured level', () => {
    const levels = (level: string) =>
      logged((logger) => {
        for (const name of ['debug', 'log', 'warn', 'error'] as const) logger[name]('x', 'Test');
      }, level).map((line) => line['level']);
    expect(levels('debug')).toEqual(['debug', 'info', 'warn', 'error']);
    expect(levels('warn')).toEqual(['warn', 'error']);
    expect(levels('silent')).toEqual([]);
  });

  it.each([
    { authorization: `Bearer ${secret}` },
    { Authorization: secret },
    { 'x-api-key': secret },
    { headers: { 'X-Api-Key': secret } },
    { request: { headers: { cookie: secret } } },
    { request: { raw: { cookie: secret } } },
    { key: secret, token: secret, password: secret, secret },
    { userToken: secret, operatorToken: secret, partnerKey: secret, api_key: secret, secretKey: secret },
    { items: [{ deep: { deeper: { secret } } }] },
    { a: { b: { c: { d: { e: { f: { g: secret } } } } } } },
  ])('keep %j to themselves', (fields) => {
    const [line] = logged((logger) => logger.log({ msg: 'asked', ...fields }, 'Test'));
    expect(line).toMatchObject({ msg: 'asked', context: 'Test' });
    expect(JSON.stringify(line)).not.toContain(secret);
  });

  it('keep what only looks like one', () => {
    const fields = { keyId: 'k1', runKey: 'r1', inputTokens: 7, usage: { outputTokens: 9 }, list: [{ userId: 'u' }] };
    expect(logged((logger) => logger.log(fields, 'Test'))[0]).toMatchObject(fields);
  });

  it('show an error with its causes and code, and nothing else that hangs on it', () => {
    const cause = new Error('connection refused');
    const error = Object.assign(new TypeError('it broke', { cause }), {
      code: '23505',
      parameters: [secret],
      config: { secret },
    });
    const lines = logged((logger) => {
      logger.error(error, 'Test');
      logger.error('while working', error, 'Test');
      logger.warn({ msg: 'in fields', err: error, more: { inner: error } }, 'Test');
    });
    expect(lines.map((line) => line['msg'])).toEqual(['it broke', 'while working', 'in fields']);
    for (const line of lines) {
      expect(line['err']).toMatchObject({ type: 'TypeError', code: '23505' });
      expect((line['err'] as { stack: string }).stack).toContain('connection refused');
      expect(JSON.stringify(line)).not.toContain(secret);
    }
    expect(lines[2]).toMatchObject({ more: { inner: { message: expect.stringContaining('it broke') } } });
  });

  it('show an error that quotes a value without the value, wherever it is in the causes', () => {
    const cause = Object.assign(new Error('invalid input syntax for type uuid: "zebulon"'), { code: '22P02' });
    const lines = logged((logger) => {
      logger.error(new Error('it broke', { cause }), 'Test');
      logger.error(new RangeError('Invalid time zone specified: zebulon'), 'Test');
      logger.error({ msg: 'in fields', err: new SyntaxError('Unexpected token z in "zebulon"') }, 'Test');
    });
    expect(lines.map((line) => line['msg'])).toEqual(['it broke', 'Invalid time zone specified: …', 'in fields']);
    expect(JSON.stringify(lines)).toContain('invalid input syntax');
    expect(JSON.stringify(lines)).not.toContain('zebulon');
  });

  it('tell what Nest says of itself while it starts to somebody who debugs', () => {
    const start = (logger: PinoNestLogger) => logger.log('Mapped {/x, GET} route', 'RouterExplorer');
    expect(logged(start, 'info')).toEqual([]);
    expect(logged(start)).toHaveLength(1);
  });

  it('are readable where they are asked for as such, with the stack of an error and without anything secret', () => {
    const lines: string[] = [];
    const configuration = readConfiguration({ LOG_FORMAT: 'pretty' });
    const log = createPino(configuration, 'test', { write: (line) => void lines.push(line) });
    new PinoNestLogger(log).warn({ msg: 'a thing happened', count: 3, token: secret }, 'Widget');
    new PinoNestLogger(log).error('it broke', new Error('connection refused'), 'Widget');
    const text = lines.join('').replace(/\x1b\[\d+m/g, '');
    expect(text).toMatch(/^\[\d\d:\d\d:\d\d\.\d{3}\] WARN: a thing happened \{.*"count":3.*\}$/m);
    expect(text).toMatch(/ERROR: it broke/);
    expect(text).toMatch(/connection refused.*\n?.*at /s);
    expect(text).not.toContain(secret);
  });
});
