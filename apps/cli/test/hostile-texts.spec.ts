/** Whatever users, partners and servers wrote, no command writes a character that a terminal obeys. */
import { operatorContracts } from '@app/operators';
import { isJsonObject, type JsonValue } from '@app/kernel';
import type { Contract } from '@app/http';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe as inWords } from '../src/terminal/outcome';
import { note } from '../src/terminal/output';
import { parleyProgram } from '../src/program';

/** Escapes (7 and 8 bit), a bell, a return, bidirectional overrides, tags, a line separator, an unpaired surrogate, lines of its own. */
const hostile = 'x\u001b[2J\u009b31m\u0007\r\u202e\u2066\u{e0041}\u2028\ud800\u200b\nVERIFIED: forged\u001b]0;t\u0007';
const obeyed = /[\p{C}\p{Zl}\p{Zp}]/u;

let server: Server;
let folder: string;
let answers: (request: IncomingMessage, response: ServerResponse) => void;
let written: { stdout: string; stderr: string };
let before: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-hostile-'));
  await writeFile(keyFile, `pk_${'a'.repeat(43)}\n`);
  server = createServer((request, response) => answers(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  before = { ...process.env };
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  Object.assign(process.env, {
    PARLEY_DATA_DIR: folder,
    PARLEY_URL: `http://127.0.0.1:${port}`,
    PARLEY_OPERATOR_TOKEN: 'a.b.c',
    PARLEY_PARTNER_KEY: 'pk_any',
    PARLEY_USER_TOKEN: 'd.e.f',
  });
});

afterAll(async () => {
  for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name);
  server.closeAllConnections();
  server.close();
  await rm(keyFile);
  await rm(folder, { recursive: true, force: true });
});

beforeEach(() => {
  written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    jest.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    });
});
afterEach(() => jest.restoreAllMocks());

/** Runs a command as the terminal does; its error is written as well. */
async function parley(...args: string[]): Promise<void> {
  try {
    await parleyProgram(() => undefined).parseAsync(['node', 'parley', ...args]);
  } catch (error) {
    note(String(inWords(error)));
  }
}

/** @param typed whether it repeats what its own user typed */
function expectTame(typed = false): void {
  for (const text of [written.stdout, written.stderr])
    expect(text.split('\n').filter((line) => obeyed.test(line))).toEqual([]);
  // A text that forges a line stays within the line that it was written in.
  if (!typed) expect(`${written.stdout}${written.stderr}`).not.toMatch(/^\s*VERIFIED: forged/m);
}

/** The same answer, with every text in it hostile. */
function poisoned(value: JsonValue): JsonValue {
  if (typeof value === 'string') return value + hostile;
  if (Array.isArray(value)) return value.map(poisoned);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, poisoned(member ?? null)]));
}

const json = (response: ServerResponse, status: number, body: unknown): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

const keyFile = join(tmpdir(), `parley-hostile-key-${process.pid}`);
const given = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05';

/** The words of a command that calls the operation. */
function wordsOf({ operation, path, parameters, method, body, examples }: Contract): string[] {
  const kebab = (name: string) => name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const names = [...path.matchAll(/[:*](\w+)/g)].map(([, name = '']) => name);
  const example = typeof body === 'function' && isJsonObject(examples?.body) ? examples.body : {};
  const options = Object.entries(example).flatMap(([name, value]) => [
    `--${kebab(name)}`,
    Array.isArray(value) ? value.join(',') : typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const query: Readonly<Record<string, string[]>> = {
    'users.search': ['--q', 'x'],
    'users.export': ['--to', join(folder, randomUUID())],
    'keys.find': ['--key-file', keyFile],
    'approvals.list': ['--user', given],
    'runs.list': ['--state', 'live'],
    'automations.list': ['--state', 'held'],
  };
  return [
    ...operation.split('.').map(kebab),
    ...names.map((name) => parameters[name]?.values?.[0] ?? (/(Id|Key)$/.test(name) ? given : 'x')),
    ...options,
    ...(query[operation] ?? []),
    // An export changes nothing, so it asks nothing.
    ...(method === 'GET' || operation === 'users.export' ? [] : ['--yes']),
  ];
}

describe.each(operatorContracts.map((contract) => [contract.operation, contract] as const))('%s', (_, contract) => {
  const answer = isJsonObject(contract.examples?.answer) ? poisoned(contract.examples.answer) : { line: hostile };

  it.each([
    ['as lines', []],
    ['as JSON', ['--json']],
  ])('shows hostile texts %s', async (_form, options) => {
    answers = ({ url = '' }, response) =>
      json(
        response,
        200,
        url.includes('identity') ? { deploymentId: hostile, version: hostile, mode: 'sandbox' } : answer,
      );
    await parley(...wordsOf(contract), ...options);
    expectTame();
    // The command for rebuilds shows names from a list, and here the list has none.
    if (contract.operation === 'projections.rebuild') return;
    // This one writes its answer to a file, and shows nothing of it.
    if (contract.operation === 'users.export') return;
    expect(written.stdout).toContain('u001b');
    if (options.length > 0) expect(JSON.parse(written.stdout)).toMatchObject(answer ?? {});
  });

  it('shows hostile refusals', async () => {
    const issues = [{ path: `/${hostile}`, message: hostile }];
    for (const problem of [{ title: hostile, reason: hostile }, { issues }]) {
      answers = ({ url = '' }, response) =>
        url.includes('identity') ? json(response, 404, {}) : json(response, 403, problem);
      await parley(...wordsOf(contract));
    }
    expectTame();
    expect(written.stderr).toContain('u001b');
  });
});

describe('what follows a service', () => {
  const event = {
    id: `1${hostile}`,
    type: `run.ended${hostile}`,
    timestamp: hostile,
    data: { userId: hostile, text: hostile },
  };
  const page = { data: [event], endCursor: 'c' };

  /** One connection delivers an event, the next one is refused with a hostile text. */
  function streaming(): typeof answers {
    let count = 0;
    return ({ url = '' }, response) => {
      if (url.includes('/users/me')) return json(response, 200, { userId: given });
      if (!url.includes('/stream')) return json(response, 200, page);
      if ((count += 1) > 1) return json(response, 403, { title: hostile });
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      const frame = { payload: { type: hostile, text: hostile }, ...event };
      response.end(`event: x\u001b\u009b\u202e\nid: 7\ndata: ${JSON.stringify(frame)}\n\n`);
    };
  }

  it.each([
    [['tail']],
    [['tail', '--json']],
    [['tail', '--conversation', given]],
    [['tail', '--conversation', given, '--json']],
    [['listen', '--forward-to', 'http://127.0.0.1:9/']],
  ])('shows hostile events by %j', async (args) => {
    answers = streaming();
    await parley(...args);
    expectTame();
    expect(written.stderr).toContain('u001b');
  });

  it('shows hostile answers of a sandbox', async () => {
    answers = ({ url = '' }, response) =>
      json(
        response,
        url.includes('/clock') || url.includes('/feed/') ? 200 : 400,
        url.includes('/feed/') ? page : { title: hostile },
      );
    for (const form of [[], ['--json']]) await parley('trigger', 'run.ended', ...form);
    expectTame();
    expect(written.stderr).toContain('u001b');
  });
});

describe('what was typed', () => {
  it.each([
    [[hostile]],
    [['users', hostile]],
    [['runs', 'list', '--state', hostile]],
    [['controls', 'pause', hostile, '--reason', 'x']],
    [['users', 'show', hostile]],
    [['restore', '--from', hostile]],
  ])('is said again as it can be shown: %j', async (args) => {
    await parley(...args);
    expectTame(true);
    expect(written.stderr).toContain('u001b');
  });
});
