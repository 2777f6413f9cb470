/** The product's MCP client against the conformance suite of the MCP project; docs/mcp.md says which scenarios pass, and why the others do not apply. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { useAsConfigured, type Scenario } from './mcp-conformance';

const WITHIN_MS = 600_000; // the first time, the suite and perhaps a Node for it are downloaded
const root = join(__dirname, '..', '..', '..', '..', '..');
/** The suite has time limits of its own, which a busy machine may miss. */
const attemptsMax = 4;

/** The rows of the table: scenario, and `passes` or why it does not apply. */
const [, table = ''] = readFileSync(join(root, 'docs', 'mcp.md'), 'utf8').split('## Conformance');
const rows = new Map(
  [...table.matchAll(/^\| `([^`]+)` +\| (.+?) +\|$/gm)].map(([, scenario = '', verdict = '']) => [scenario, verdict]),
);
const passing = [...rows].filter(([, verdict]) => verdict === 'passes').map(([scenario]) => scenario);

let server: Server;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-conformance-'));
  server = createServer((request, response) => {
    read(request)
      .then((body) => useAsConfigured(JSON.parse(body) as Scenario)) // reason for the assertion: our own relay wrote it
      .then((results) => response.end(results))
      .catch((error: unknown) => response.writeHead(500).end(String(error)));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

async function read(request: IncomingMessage): Promise<string> {
  let body = '';
  for await (const part of request.setEncoding('utf8')) body += String(part);
  return body;
}

/** Runs the suite's program; rejects with its output if it reports a failure. */
async function suite(...args: string[]): Promise<string> {
  const script = join(root, 'scripts', 'conformance.mjs');
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], { cwd: folder });
  return stdout;
}

it(
  'is told for every scenario of the suite',
  async () => {
    const listed = [...(await suite('list', '--client')).matchAll(/^ +- (\S+) \[/gm)].map(([, name]) => name);
    expect(listed.length).toBeGreaterThan(0);
    expect([...rows.keys()].sort()).toEqual([...listed].sort());
    const needed = [
      'initialize',
      'tools_call',
      'sse-retry',
      'auth/client-credentials-jwt',
      'auth/client-credentials-basic',
    ];
    expect(passing).toEqual(expect.arrayContaining(needed));
  },
  WITHIN_MS,
);

it.each(passing)(
  'passes %s',
  async (scenario) => {
    const { port } = server.address() as AddressInfo; // reason for the assertion: it listens on TCP
    const command = `${process.execPath} ${join(root, 'test', 'conformance', 'relay.cjs')} http://127.0.0.1:${port}/`;
    const run = () => suite('client', '--command', command, '--scenario', scenario, '--timeout', '120000');
    for (let attempt = 1; attempt < attemptsMax; attempt += 1) {
      const passed = await run().then(
        () => true,
        () => false,
      );
      if (passed) return;
    }
    await run();
  },
  WITHIN_MS,
);
