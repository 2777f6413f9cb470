/** A command never reaches another deployment than the named one (docs/decisions/operators.md), and no credential goes elsewhere. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe as inWords } from '../src/terminal/outcome';
import { note } from '../src/terminal/output';
import { parleyProgram } from '../src/program';

const variables = ['PARLEY_DATA_DIR', 'PARLEY_URL', 'PARLEY_OPERATOR_TOKEN', 'PARLEY_PARTNER_KEY', 'PARLEY_USER_TOKEN'];
const secret = 'secret-credential';
const given = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05';

/** A service that records its requests. */
class Service {
  readonly requests: string[] = [];
  answers: (request: IncomingMessage, response: ServerResponse) => void = (_, response) => json(response, 404, {});
  private readonly server: Server = createServer((request, response) => {
    this.requests.push(`${request.method} ${request.url} ${JSON.stringify(request.headers)}`);
    this.answers(request, response);
  });

  async start(): Promise<this> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return this;
  }

  get url(): string {
    const address = this.server.address();
    return `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`;
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

const json = (response: ServerResponse, status: number, body: object): void => {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
};

let here: Service;
let other: Service;
let folder: string;
let before: NodeJS.ProcessEnv;
let written: { stdout: string; stderr: string };

beforeEach(async () => {
  before = { ...process.env };
  for (const name of variables) Reflect.deleteProperty(process.env, name);
  folder = await mkdtemp(join(tmpdir(), 'parley-addresses-'));
  process.env['PARLEY_DATA_DIR'] = folder;
  [here, other] = [await new Service().start(), await new Service().start()];
  // Left by a sandbox that runs here: a half-set address must not fall back to it.
  const local = { baseUrl: here.url, operatorToken: 'local', partnerKey: 'pk_local', userToken: 'local' };
  await writeFile(join(folder, 'sandbox.json'), JSON.stringify(local));
  written = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const)
    jest.spyOn(process[name], 'write').mockImplementation((chunk) => {
      written[name] += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString();
      return true;
    });
});

afterEach(async () => {
  jest.restoreAllMocks();
  for (const name of variables) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, before);
  for (const service of [here, other]) service.stop();
  await rm(folder, { recursive: true, force: true });
});

async function parley(environment: Readonly<Record<string, string>>, ...args: string[]): Promise<void> {
  Object.assign(process.env, environment);
  try {
    await parleyProgram(() => undefined).parseAsync(['node', 'parley', ...args]);
  } catch (error) {
    note(String(inWords(error)));
  }
}

const pause = ['controls', 'pause', 'runs', '--reason', 'an incident', '--yes'];
const trigger = ['trigger', 'run.ended'];

describe('a half-set address', () => {
  it.each([
    ['an address without a token', 'PARLEY_OPERATOR_TOKEN is not set', () => ({ PARLEY_URL: other.url }), pause],
    ['a token without an address', 'PARLEY_URL is not', () => ({ PARLEY_OPERATOR_TOKEN: secret }), pause],
    ['a key without an address', 'no service', () => ({ PARLEY_PARTNER_KEY: secret }), ['tail']],
    ['an address without a key', 'without its key', () => ({ PARLEY_URL: other.url }), ['tail']],
    ['the same, of a sandbox', 'without its key', () => ({ PARLEY_URL: other.url }), trigger],
  ])('reaches no deployment: %s', async (_, says, environment, args) => {
    await parley(environment(), ...args);
    expect(written).toEqual({ stdout: '', stderr: expect.stringContaining(says) as string });
    expect([here.requests, other.requests]).toEqual([[], []]);
  });

  it('is also --url without a key', async () => {
    await parley({}, 'tail', '--url', other.url);
    expect(written.stderr).toContain('without its key');
    expect([here.requests, other.requests]).toEqual([[], []]);
  });
});

it('a service below a path of a proxy is reached there', async () => {
  other.answers = (_, response) => json(response, 200, { data: [], nextCursor: null });
  await parley({ PARLEY_URL: `${other.url}/parley/`, PARLEY_OPERATOR_TOKEN: secret }, 'keys', 'list');
  expect(other.requests).toEqual([expect.stringMatching(/^GET \/parley\/operator\/v1\/partner-keys /)]);
});

it('a change says where it was made', async () => {
  const identity = { deploymentId: 'parley/5d1f', version: '0.2.0', mode: 'production' };
  other.answers = ({ url = '' }, response) => json(response, 200, url.includes('identity') ? identity : { at: 'now' });
  await parley({ PARLEY_URL: other.url, PARLEY_OPERATOR_TOKEN: secret }, ...pause, '--json');
  expect(JSON.parse(written.stdout)).toEqual({ at: 'now', deployment: { origin: other.url, ...identity } });
  expect(here.requests).toEqual([]);
});

const credentials = { PARLEY_OPERATOR_TOKEN: secret, PARLEY_PARTNER_KEY: secret, PARLEY_USER_TOKEN: secret };
const followers = [
  ['tail'],
  ['tail', '--conversation', given],
  ['listen', '--forward-to', 'http://127.0.0.1:9/'],
  pause,
];

it.each(followers.map((args) => [args.join(' '), args] as const))(
  '%s sends nothing over plain http elsewhere',
  async (_, args) => {
    const asked = jest.spyOn(globalThis, 'fetch');
    await parley({ ...credentials, PARLEY_URL: 'http://parley.example' }, ...args);
    expect(written.stderr).toContain('must begin with https:// unless it is on this machine');
    expect(asked).not.toHaveBeenCalled();
  },
);

it.each(followers.map((args) => [args.join(' '), args] as const))(
  '%s sends nothing to the target of a redirect',
  async (_, args) => {
    for (const status of [301, 302, 303, 307, 308]) {
      here.answers = ({ url = '' }, response) => {
        response.writeHead(status, { location: other.url + url });
        response.end();
      };
      await parley({ ...credentials, PARLEY_URL: here.url }, ...args);
    }
    expect(here.requests).toHaveLength(5);
    expect(other.requests).toEqual([]);
    expect(written.stderr.match(/answers with a redirect, which is not followed/g)).toHaveLength(5);
  },
);
