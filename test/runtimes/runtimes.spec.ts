import { execFile } from 'node:child_process';
import { copyFile, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import type { Browser } from 'playwright-core';
import { debianProgram } from '@app/testing/programs';
import { openChromium } from '../browser/chromium';
import { PackedProject } from '../client/packed';
import { SmallService } from './small-service';

const run = promisify(execFile);
/** On a new machine the runtimes and the browser are installed first. */
const withinMs = 900_000;

interface Failure {
  readonly name: string;
  readonly kind: string;
  readonly outcome: string;
  readonly host: string;
  readonly message: string;
}
interface Tried {
  readonly works: unknown;
  readonly failures: Readonly<Record<string, Failure | null>>;
}
type Given = ReturnType<SmallService['givenTo']>;

let project: PackedProject;
let service: SmallService;
let browser: Browser;
let programs: Record<'bun' | 'deno', string>;

beforeAll(async () => {
  project = await PackedProject.create();
  await project.write('package.json', '{ "type": "module" }');
  for (const name of ['program.mjs', 'main.mjs']) await copyFile(join(__dirname, name), join(project.folder, name));
  service = await SmallService.start(await certificate(), await bundle());
  const installed = await run(process.execPath, [join(__dirname, '..', '..', 'scripts', 'runtimes.mjs')]);
  // Reason for the assertion: the last line that the script prints.
  programs = JSON.parse(installed.stdout.trim().split('\n').at(-1) ?? '') as typeof programs;
  browser = await openChromium();
}, withinMs);
afterAll(async () => {
  await browser?.close();
  await service?.stop();
  await project?.remove();
});

/** The package and the program, bundled as a partner would. */
async function bundle(): Promise<string> {
  const options = { bundle: true, write: false, format: 'iife', globalName: 'program', target: 'es2022' } as const;
  const built = await build({ ...options, entryPoints: [join(project.folder, 'program.mjs')], logLevel: 'error' });
  return (built.outputFiles[0]?.text ?? '').replaceAll('</script', '<\\/script');
}

async function certificate(): Promise<{ key: Buffer; cert: Buffer }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-runtimes-'));
  try {
    const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
    const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    const kind = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-keyout', key, '-out', cert];
    await run(await debianProgram('openssl'), [...kind, ...names]);
    return { key: await readFile(key), cert: await readFile(cert) };
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function onCommandLine(program: string, args: readonly string[], given: Given): Promise<Tried> {
  const env = { PATH: process.env['PATH'] ?? '', HOME: project.folder, GIVEN: JSON.stringify(given) };
  const { stdout } = await run(program, [...args, 'main.mjs'], { cwd: project.folder, env });
  // Reason for the assertion: the program's output.
  return JSON.parse(stdout) as Tried;
}

async function inChromium(given: Given): Promise<Tried> {
  const page = await browser.newPage();
  try {
    await page.goto(service.origin);
    return await page.evaluate<Tried>(`program.tryOut(${JSON.stringify(given)})`);
  } finally {
    await page.close();
  }
}

const runtimes = {
  Node: (given: Given) => onCommandLine(process.execPath, [], given),
  Bun: (given: Given) => onCommandLine(programs.bun, ['run'], given),
  Deno: (given: Given) => onCommandLine(programs.deno, ['run', '--allow-all', '--no-remote'], given),
  Chromium: inChromium,
};

describe.each(Object.keys(runtimes) as (keyof typeof runtimes)[])('the packed client on %s', (name) => {
  let given: Given;
  let tried: Tried;
  beforeAll(async () => {
    given = service.givenTo();
    tried = await runtimes[name](given);
  }, withinMs);

  it('calls, reads lists, sends and reads bytes, follows a stream over a cut, stops', () => {
    expect(tried.works).toEqual({
      user: true,
      echoed: 'hé',
      runId: true,
      listed: ['one', 'two'],
      upload: [201, 'a,b'],
      content: 'a,b',
      frames: [1, 'é', 2, 3],
      aborted: 'enough',
      refused: { name: 'ParleyProblem', reason: 'run_not_active', status: 409 },
    });
  });

  it('names the host in every failure', () => {
    for (const [failing, baseUrl] of Object.entries(given.fails)) {
      const { hostname, port } = new URL(baseUrl);
      const host = `${hostname}:${port || '80'}`;
      expect([failing, tried.failures[failing]]).toEqual([
        failing,
        expect.objectContaining({ name: 'ParleyUnreachable', host, message: expect.stringContaining(host) }),
      ]);
    }
  });

  it('says whether the request was sent, as far as this runtime knows', () => {
    const told = Object.entries(tried.failures).map(([failing, failure]) => [failing, failure?.kind, failure?.outcome]);
    /** A page only learns that the request failed. */
    const never = name === 'Chromium' ? 'unknown' : 'not_sent';
    expect(told).toEqual([
      ['cut', 'connection', 'unknown'],
      ['reset', 'connection', 'unknown'],
      ['silent', 'timeout', 'unknown'],
      ['refused', 'connection', never],
      ['unknownHost', 'connection', never],
      ['distrusted', 'connection', never],
    ]);
  });

  it('sends once what may be done only once', () => {
    expect(Object.fromEntries(service.asked)).toEqual({ cut: 1, reset: 1, silent: 1 });
  });
});
