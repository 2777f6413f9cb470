/** A question for help starts nothing, and neither does an argument that there is not. */
import { productVersion } from '@app/kernel';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parley } from './cli';

const root = join(__dirname, '..', '..');
const withinMs = 60_000;
/** Replaces what installs and builds. */
const prepareMjs = `const prepared = () => { console.log('prepared'); process.exit(3); };
export { prepared as prepare, prepared as prepareFolder };
`;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'parley-arguments-'));
  mkdirSync(join(folder, 'scripts'));
  for (const name of readdirSync(join(root, 'scripts')).filter((one) => one.endsWith('.mjs')))
    cpSync(join(root, 'scripts', name), join(folder, 'scripts', name));
  for (const part of ['bench', 'load'])
    cpSync(join(root, 'test', part, 'options.mjs'), join(folder, 'test', part, 'options.mjs'));
  writeFileSync(join(folder, 'scripts', 'prepare.mjs'), prepareMjs);
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs Node where a start would fail, because its port is none. */
const node = (...args: string[]) => nodeWith({ PORT: 'none' }, ...args);

function nodeWith(env: Record<string, string>, ...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'], ...env },
    encoding: 'utf8',
    timeout: withinMs,
  });
  return { status, stdout, stderr };
}

describe('a script of the README', () => {
  const script = (name: string) => join(folder, 'scripts', `${name}.mjs`);

  it.each(['start', 'test', 'figures', 'bench', 'load'])('%s prints its usage before it prepares anything', (name) => {
    for (const help of ['--help', '-h']) {
      const { status, stdout } = node(script(name), help);
      expect([status, stdout]).toEqual([0, expect.stringMatching(/^npm (start|test|run \w+).*: /)]);
      expect(stdout).not.toContain('prepared');
    }
  });

  it('of npm start names the variables that matter first', () => {
    const { stdout } = node(script('start'), '--help');
    for (const name of ['PARLEY_DATA_DIR', ' PORT', 'MANAGEMENT_PORT', 'PARLEY_MODE', 'docs/configuration.md'])
      expect(stdout).toContain(name);
  });

  it.each([
    ['start', '--port=1'],
    ['start', 'production'],
    ['bench', '--fast'],
    ['bench', '--only=all'],
    ['load', '--fast'],
  ])('%s refuses %s', (name, argument) => {
    const { status, stdout, stderr } = node(script(name), argument);
    expect([status, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`npm ${name === 'start' ? 'start' : `run ${name}`}`);
  });
});

describe('a process of the build', () => {
  const main = (app: string) => join(root, 'dist', 'apps', app, 'src', 'main.js');

  it.each(['api', 'worker', 'standalone', 'event-store'])('%s starts nothing where it is asked for help', (app) => {
    const help = node(main(app), '--help');
    expect(help).toEqual({ status: 0, stdout: expect.stringMatching(/^.*configure it.*\n$/), stderr: '' });
    const other = node(main(app), '--port=1');
    expect(other).toEqual({
      status: 2,
      stdout: '',
      stderr: expect.stringMatching(/^there is no argument --port=1: .*\n$/),
    });
  });

  it('witness, which has options, refuses others', () => {
    expect(nodeWith({}, main('witness'), '--help')).toMatchObject({ status: 0, stderr: '' });
    expect(nodeWith({}, main('witness'), '--fast').stderr).toContain("unknown option '--fast'");
  });

  it('the command line says its version', async () => {
    expect(await parley({}, ['--version'])).toEqual({ code: 0, stdout: `${productVersion}\n`, stderr: '' });
  });
});

it.each(['partner-backend', 'chat', 'tools'])('the example %s refuses arguments', (name) => {
  const { status, stderr } = node(join(root, 'examples', name, 'src', 'main.js'), '--port=1');
  expect([status, stderr]).toEqual([2, expect.stringContaining('There is no argument --port=1')]);
});
