/** A command that could not write its output fails, and says so in one sentence. */
import { spawn, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parleyMain } from './cli';

const verifyReceipt = join(__dirname, '..', '..', 'scripts', 'verify-receipt.mjs');

let server: Server;
let folder: string;
let env: Record<string, string>;

/** Serves an operator API with no keys, and a feed with frequent events: enough for a command to have output. */
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-lost-output-'));
  server = createServer((request, response) => {
    if (!request.url?.startsWith('/feed/')) {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[],"nextCursor":null}');
      return;
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const event = { id: 'evt_1', type: 'run.ended', timestamp: '2026-01-01T00:00:00Z', data: {} };
    const telling = setInterval(() => response.write(`id: c\ndata: ${JSON.stringify(event)}\n\n`), 50);
    response.on('close', () => clearInterval(telling));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const key = join(folder, 'key');
  await writeFile(key, `pk_${'a'.repeat(43)}\n`);
  env = {
    PATH: process.env['PATH'] ?? '',
    PARLEY_DATA_DIR: folder,
    PARLEY_URL: `http://127.0.0.1:${port}`,
    PARLEY_OPERATOR_TOKEN: 'a.b.c',
    PARLEY_PARTNER_KEY: `pk_${'a'.repeat(43)}`,
  };
});

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Ended {
  readonly code: number | null;
  readonly stderr: string;
}

async function run(command: readonly string[], stdio: StdioOptions, closes = false): Promise<Ended> {
  const [program = '', ...args] = command;
  const child = spawn(program, args, { env, stdio });
  if (closes) child.stdout?.destroy();
  let stderr = '';
  child.stderr?.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  await once(child, 'close');
  return { code: child.exitCode, stderr };
}

async function onFullDisk(command: readonly string[]): Promise<Ended> {
  const full = openSync('/dev/full', 'w');
  try {
    return await run(command, ['ignore', full, 'pipe']);
  } finally {
    closeSync(full);
  }
}

const parley = (...args: string[]): string[] => [process.execPath, parleyMain, ...args];
const commands = {
  help: parley('--help'),
  'help of a noun': parley('keys', '--help'),
  completions: parley('complete', 'bash'),
  contract: parley('contract', 'asyncapi'),
  'a look': parley('keys', 'list'),
  'a look as JSON': parley('--json', 'keys', 'list'),
  'what is no document': parley('streams', 'export', 'run-1'),
  'a look again and again': parley('keys', 'list', '--watch'),
  'a change': parley('controls', 'pause', 'runs', '--reason', 'a test', '--yes'),
  tail: parley('tail', '--from', 'c'),
  'tail as JSON': parley('--json', 'tail', '--from', 'c'),
};
const noRoom = 'The output could not be written: ENOSPC: no space left on device, write\n';

it.each(Object.entries(commands))('%s on a full disk', async (_, command) => {
  const { code, stderr } = await onFullDisk(command);
  expect([code, stderr.replaceAll(/^.*Ctrl-C ends it\n/gm, '')]).toEqual([1, noRoom]);
});

it.each(Object.entries(commands))('%s for a reader that has gone', async (_, command) => {
  const { code, stderr } = await run(command, ['ignore', 'pipe', 'pipe'], true);
  expect([code, stderr.replaceAll(/^.*Ctrl-C ends it\n/gm, '')]).toEqual([141, '']);
});

it('a file that takes only a part is no success', async () => {
  const limited = ['/bin/bash', '-c', 'ulimit -f 1; exec "$0" "$@" > "$FILE"', ...parley('contract', 'asyncapi')];
  env['FILE'] = join(folder, 'cut.json');
  const { code, stderr } = await run(limited, ['ignore', 'ignore', 'pipe']);
  expect([code, stderr]).toEqual([1, 'The output could not be written: EFBIG: file too large, write\n']);
});

it('a file that is named is written whole or not at all, through a link as well', async () => {
  const [file, link] = [join(folder, 'contract.json'), join(folder, 'link.json')];
  await writeFile(file, 'as it was');
  await symlink(file, link);
  const limited = ['/bin/bash', '-c', 'ulimit -f 1; exec "$0" "$@"', ...parley('contract', 'asyncapi', '--out', link)];
  const cut = await run(limited, ['ignore', 'ignore', 'pipe']);
  expect(cut).toEqual({ code: 1, stderr: `${link} cannot be written: EFBIG: file too large, write\n` });
  expect(await readFile(file, 'utf8')).toBe('as it was');
  expect((await readdir(folder)).filter((name) => name.endsWith('.unfinished'))).toEqual([]);
  expect(await run(parley('contract', 'asyncapi', '--out', link), 'ignore')).toMatchObject({ code: 0 });
  expect(JSON.parse(await readFile(file, 'utf8'))).toHaveProperty('asyncapi');
  const full = await run(parley('contract', 'asyncapi', '--out', '/dev/full'), ['ignore', 'ignore', 'pipe']);
  expect(full).toEqual({ code: 1, stderr: '/dev/full cannot be written: ENOSPC: no space left on device, write\n' });
});

it('a verdict that could not be written is none', async () => {
  const file = join(folder, 'receipt.json');
  await writeFile(file, '{}');
  const command = [process.execPath, verifyReceipt, file];
  expect(await onFullDisk(command)).toMatchObject({ code: 1, stderr: expect.stringContaining(noRoom) as string });
  expect(await run(command, ['ignore', 'pipe', 'pipe'], true)).toMatchObject({ code: 141 });
});
