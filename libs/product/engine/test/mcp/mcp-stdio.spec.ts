import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { stdioProgram } from '@app/testing/mcp';
import type { ToolResult } from '../../src/tool';
import { until } from '@app/testing/until';
import type { McpServers } from '../../src/mcp/mcp-servers';
import { calling, serversOf } from './mcp-calls';

let servers: McpServers;
afterEach(() => servers.onModuleDestroy());

async function listed(
  mode: string,
  env: Record<string, string> = {},
  timeoutMs = 60_000,
  startTimeoutMs = 60_000,
): Promise<void> {
  const transport = { type: 'stdio', command: process.execPath, args: [stdioProgram, mode], env };
  const settings = { name: 'child', transport, consent: 'auto', timeoutMs, startTimeoutMs };
  servers = serversOf(settings);
  await servers.onModuleInit();
}

const call = (tool: string, input: object = {}, signal?: AbortSignal) =>
  calling(servers, `child_${tool}`, input, signal);
const textOf = ({ result }: ToolResult): string => ('text' in Object(result) ? String(Object(result).text) : '');
const unreachable = { outcome: 'error', result: { error: expect.stringContaining('could not be reached') as unknown } };

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false; // there is no such process
  }
}

async function untilGone(pid: number): Promise<boolean> {
  for (let waits = 0; waits < 100 && isAlive(pid); waits += 1) await sleep(50);
  return !isAlive(pid);
}

describe('a server as a child process', () => {
  it('is called, and knows nothing of our environment but what it is given', async () => {
    process.env['PARLEY_TEST_SECRET'] = 'secret';
    await listed('good', { GIVEN: 'to it' });
    delete process.env['PARLEY_TEST_SECRET'];
    expect(await call('echo', { words: 'heard' })).toEqual({ outcome: 'ok', result: { text: 'heard' } });
    const environment: unknown = JSON.parse(textOf(await call('environment')));
    expect(environment).toMatchObject({ GIVEN: 'to it', PATH: process.env['PATH'] });
    expect(environment).not.toHaveProperty('PARLEY_TEST_SECRET');
  });

  it('that dies has failed the call, and is started again for the next one', async () => {
    await listed('good');
    expect(await call('die')).toMatchObject(unreachable);
    expect(await call('echo', { words: 'again' })).toMatchObject({ outcome: 'ok' });
  });

  it('that prints garbage is understood all the same', async () => {
    await listed('good');
    expect(textOf(await call('garbage'))).toBe('after the garbage');
  });

  it('that answers more than a message may hold is ended, and started again', async () => {
    await listed('good');
    expect(await call('huge')).toMatchObject(unreachable);
    expect(await call('echo', { words: 'again' })).toMatchObject({ outcome: 'ok' });
  });

  it('is told that a call was aborted or took too long', async () => {
    await listed('good', {}, 1000);
    const abort = new AbortController();
    setTimeout(() => abort.abort(), 50);
    expect(await call('never', {}, abort.signal)).toMatchObject({ result: { error: 'the call was stopped' } });
    expect(await call('never')).toMatchObject({
      result: { error: 'outcome unknown: there was no answer within 1000 ms' },
    });
    expect(textOf(await call('cancelled'))).toBe('2');
  });

  it('that takes longer to start than we do comes up later', async () => {
    await listed('slow');
    expect(servers.tools).toEqual([]);
    await until('its tools', () => Promise.resolve(servers.tools[0]));
    expect(await call('echo', { words: 'late' })).toMatchObject({ outcome: 'ok' });
  });

  it('that never answers is ended after its time, and keeps nobody', async () => {
    await listed('silent', {}, 10_000, 500);
    expect([servers.tools, servers.servers[0]?.isAway]).toEqual([[], true]);
    await servers.onModuleDestroy();
    await listed('silent', {}, 10_000, 600_000);
    await servers.onModuleDestroy();
  });

  it('that cannot be started has no tools', async () => {
    await listed('broken');
    expect(servers.tools).toEqual([]);
  });

  it('ends with us, even one that does not care for the end of its input', async () => {
    await listed('stubborn');
    const pid = Number(textOf(await call('pid')));
    expect(isAlive(pid)).toBe(true);
    await servers.onModuleDestroy();
    expect(await untilGone(pid)).toBe(true);
  });

  it('ends when we are killed', async () => {
    await listed('good');
    const holder = `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(stdioProgram)}], { stdio: 'pipe' });
      console.log(child.pid)`;
    const parent = spawn(process.execPath, ['-e', holder], { stdio: ['ignore', 'pipe', 'inherit'] });
    const [printed] = (await once(parent.stdout, 'data')) as [Buffer]; // a stream without encoding yields buffers
    const pid = Number(printed.toString());
    await sleep(500);
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    expect(await untilGone(pid)).toBe(true);
  });
});
