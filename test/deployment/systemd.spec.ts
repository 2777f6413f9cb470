/** docker/parley-api.service, as systemd itself reads it, and its values as the product needs them. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { readConfiguration } from '@app/settings';
import { debianProgram, installedWithinMs } from '@app/testing/programs';

const root = join(__dirname, '..', '..');

let unit: string;
beforeAll(async () => {
  unit = await readFile(join(root, 'docker', 'parley-api.service'), 'utf8');
});

const valueOf = (name: string): string | undefined => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)?.[1];

it(
  'has nothing that systemd does not understand',
  async () => {
    const program = await debianProgram('systemd-analyze');
    const folder = await mkdtemp(join(tmpdir(), 'parley-unit-'));
    const verified = async (text: string): Promise<string> => {
      const file = join(folder, 'parley-api.service');
      await writeFile(file, text);
      const verify = promisify(execFile)(program, ['--man=no', '--recursive-errors=no', 'verify', file]);
      return verify.then(
        ({ stderr }) => stderr,
        (error: unknown) => String(error),
      );
    };
    // Node is elsewhere on some machines, and systemd checks that the path is a program.
    const here = unit.replace('/usr/bin/node', process.execPath);
    expect(await verified(here)).toBe('');
    expect(await verified(here.replace('KillMode', 'KillMod'))).toContain("Unknown key 'KillMod'");
    await rm(folder, { recursive: true });
  },
  installedWithinMs,
);

it('stops the main process only, and leaves it the time that it takes', () => {
  const { env } = readConfiguration({ PARLEY_SECRET_KEY: Buffer.alloc(32, 7).toString('base64') });
  expect(valueOf('KillMode')).toBe('mixed');
  expect(Number(valueOf('TimeoutStopSec'))).toBeGreaterThan(env.DRAIN_SECONDS + 30);
  const [, main = ''] = /dist\/(\S+)\.js$/.exec(valueOf('ExecStart') ?? '') ?? [];
  expect(existsSync(join(root, `${main}.ts`))).toBe(true);
});
