/** A script that prepares the checkout and then becomes a program leaves stdout to that program's results. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const scripts = join(__dirname, '..', '..', 'scripts');
const becoming = { 'parley.mjs': 'cli', 'witness.mjs': 'witness' } as const;
/** Replaces a build, which takes minutes: a short step, announced as a build is, and one note. */
const prepareMjs = `import { runStep } from './tool.mjs';
export async function prepare() {
  await runStep('building', process.execPath, ['-e', 'setTimeout(() => {}, 300)']);
  console.error('built');
}
`;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-script-notes-'));
  await mkdir(join(folder, 'scripts'));
  for (const script of [...Object.keys(becoming), 'tool.mjs', 'node-version.mjs'])
    await cp(join(scripts, script), join(folder, 'scripts', script));
  await writeFile(join(folder, 'scripts', 'prepare.mjs'), prepareMjs);
  for (const app of Object.values(becoming)) {
    const main = join(folder, 'dist', 'apps', app, 'src');
    await mkdir(main, { recursive: true });
    await writeFile(join(main, 'main.js'), `console.log('{"of":"${app}"}');\n`);
  }
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(
  script: string,
  readsNotes: boolean,
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = spawn(process.execPath, [join(folder, 'scripts', script)], { stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  if (!readsNotes) child.stderr.destroy();
  await once(child, 'close');
  return { code: child.exitCode, stdout, stderr };
}

it.each(Object.entries(becoming))('%s says on stderr that it builds', async (script, app) => {
  const { code, stdout, stderr } = await run(script, true);
  expect([code, stdout]).toEqual([0, `{"of":"${app}"}\n`]);
  expect(stderr).toMatch(/^building \.\.\.\nbuilding: done in \d+\.\d s\nbuilt\n$/);
});

it.each(Object.entries(becoming))('%s goes on where nobody reads that', async (script, app) => {
  expect(await run(script, false)).toEqual({ code: 0, stdout: `{"of":"${app}"}\n`, stderr: '' });
});
