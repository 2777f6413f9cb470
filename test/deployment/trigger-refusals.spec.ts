/** The answers of `parley trigger` when something prevents it, as a developer's shell runs it. */
import { startProduction } from '@app/testing/deployment';
import { freePorts } from '@app/testing/processes';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parley, parleyMain } from './cli';
import { TriggerStage } from './trigger-stage';

let stage: TriggerStage;
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-trigger-'));
  stage = await TriggerStage.start();
}, 120_000);
afterAll(async () => {
  await stage?.sandbox.stop();
  await rm(folder, { recursive: true });
});

/** A file with a key, as the command line expects one. */
async function fileOf(key: string): Promise<string> {
  const path = join(folder, 'key');
  await writeFile(path, key);
  return path;
}

/** Options for a service at another URL, with a key. */
const at = async (baseUrl: string, key = 'pk_of_another_service') => [
  '--url',
  baseUrl,
  '--key-file',
  await fileOf(key),
];

describe('parley trigger, where something is in the way', () => {
  afterEach(async () => {
    await stage.lever('PUT', 'faults', { model: { delayMs: null, fail: false } });
    await stage.operator.post('/deployment/controls/automations/resume', { reason: 'over' });
  });

  it('says which could not be made, makes the others, and takes back what it had begun', async () => {
    await stage.operator.post('/deployment/controls/automations/pause', { reason: 'a rehearsal' });
    const { code, stdout, stderr } = await stage.run('trigger', 'automation.triggered', 'user.disabled');
    expect(code).toBe(1);
    expect(stdout).toMatch(/^user\.disabled: /);
    const [, userId = ''] =
      /^automation\.triggered: refused \(deployment_paused\): .* \(user (\S+)\)\n$/.exec(stderr) ?? [];
    expect(await stage.actingFor(userId)).toEqual({ liveRuns: 0, automations: 0, archived: 1 });
  });

  it('says what a run came to instead', async () => {
    await stage.lever('PUT', 'faults', { model: { fail: true } });
    const { code, stderr } = await stage.run('trigger', 'run.suspended');
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^run\.suspended: run \S+ is failed, not awaiting_approval: /),
    ]);
  });

  it('waits no longer than it is told to', async () => {
    await stage.lever('PUT', 'faults', { model: { delayMs: 60_000 } });
    const { code, stderr } = await stage.run('trigger', 'run.ended', '--within', '1');
    expect([code, stderr]).toEqual([1, expect.stringMatching(/^run\.ended: not within 1 s: run \S+ is completed\. /)]);
  });

  it('ends with Ctrl-C, as not done', async () => {
    await stage.lever('PUT', 'faults', { model: { delayMs: 60_000 } });
    const child = spawn(process.execPath, [parleyMain, 'trigger', 'user.disabled', 'run.ended'], {
      cwd: stage.sandbox.folder,
      env: { PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    const closed = once(child, 'close');
    await once(child.stdout, 'data');
    child.kill('SIGINT');
    await closed;
    expect([child.exitCode, stderr]).toEqual([1, expect.stringContaining('ended before it was done') as string]);
  });
});

describe('parley trigger refuses', () => {
  it.each([
    [['run.what'], /does not take what was given.*run\.ended, run\.suspended/],
    [[], /--list/],
    [['run.ended', '--all'], /--list/],
    [['run.ended', '--within', '0'], /from 1 to 600/],
    [['run.ended', '--within', 'soon'], /from 1 to 600/],
  ])('%j as wrong usage', async (args, complaint) => {
    const { code, stdout, stderr } = await stage.run('trigger', ...args);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toMatch(complaint);
  });

  it('a key that may not read the feed', async () => {
    const { body } = await stage.operator.post<{ key: string }>('/partner-keys', {
      label: 'no feed',
      reason: 'a test',
    });
    const own = await at(stage.sandbox.access.baseUrl, body.key);
    const { code, stderr } = await stage.run('trigger', 'run.ended', ...own);
    expect([code, stderr]).toEqual([1, expect.stringContaining('mint one with --feed true') as string]);
  });

  it('where nobody answers', async () => {
    const [port = 0] = await freePorts(1);
    const { code, stdout, stderr } = await stage.run('trigger', '--all', ...(await at(`http://127.0.0.1:${port}`)));
    expect([code, stdout]).toEqual([1, '']);
    expect(stderr).toMatch(/^http:\/\/127\.0\.0\.1:\d+ does not answer \(.*\): is the service started\?\n$/);
  });

  it('where no service runs on the data folder', async () => {
    const { code, stderr } = await parley({}, ['trigger', 'run.ended'], folder);
    expect([code, stderr]).toEqual([1, expect.stringContaining('start one with npm start') as string]);
  });

  it('in production', async () => {
    const production = await startProduction();
    try {
      const [baseUrl = ''] = production.baseUrls;
      const { code, stdout, stderr } = await stage.run('trigger', '--all', ...(await at(baseUrl)));
      expect([code, stdout]).toEqual([1, '']);
      expect(stderr).toBe(
        `${baseUrl} is no sandbox, or not on this machine's loopback: events are triggered in a sandbox only\n`,
      );
    } finally {
      await production.stop();
    }
  }, 120_000);
});
