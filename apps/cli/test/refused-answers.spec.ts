/** A refusal of the service is shown as a sentence that says what to do, never as the JSON of a problem. */
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { servedLog } from '../src/audit/log-places';
import { describe as inWords } from '../src/terminal/outcome';
import { parleyProgram } from '../src/program';

const id = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05';
const problem = (status: number, title: string) => ({ type: 'urn:parley:error:x', title, status, requestId: id });

let server: Server;
let before: NodeJS.ProcessEnv;
/** Answers by path prefix. */
let answers: readonly (readonly [string, number, object | null])[] = [];
let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-key-'));
  await writeFile(join(folder, 'key'), `pk_${'a'.repeat(43)}\n`);
  server = createServer((request, response) => {
    const [, status, body] = answers.find(([path]) => request.url?.startsWith(path)) ?? [
      '',
      404,
      problem(404, 'Not found'),
    ];
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  before = { ...process.env };
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  Object.assign(process.env, {
    PARLEY_URL: `http://127.0.0.1:${port}`,
    PARLEY_OPERATOR_TOKEN: 'a.b.c',
    PARLEY_PARTNER_KEY: 'pk_any',
    PARLEY_USER_TOKEN: 'd.e.f',
  });
});
afterAll(() => {
  for (const name of Object.keys(process.env)) if (!(name in before)) Reflect.deleteProperty(process.env, name);
  Object.assign(process.env, before);
  server.closeAllConnections();
  server.close();
  return rm(folder, { recursive: true, force: true });
});

async function refusal(...args: string[]): Promise<string> {
  return parleyProgram(() => undefined)
    .parseAsync(['node', 'parley', ...args])
    .then(
      () => 'done',
      (error: unknown) => String(inWords(error)),
    );
}

it.each([
  [
    ['runs', 'show', id],
    "runKey; parley runs list shows what there is; --user says whose, for an id of the partner's API",
  ],
  [['approvals', 'show', id], 'approvalId; parley approvals list --user … shows what there is'],
  [['automations', 'show', id], 'automationId; parley users show <userId> shows what there is'],
  [['users', 'freeze', id, '--reason', 'x', '--yes'], 'userId; parley users search --q … shows what there is'],
  [['streams', 'events', id], 'stream; its name begins with its category, as in conversation-…'],
  [['streams', 'export', 'run-x'], 'stream; its name begins with its category, as in conversation-…'],
])('says how to find the name of what there is not: %j', async (args, hint) => {
  answers = [['/operator/identity.json', 200, { deploymentId: 'parley/x', version: '0', mode: 'sandbox' }]];
  expect(await refusal(...args)).toBe(`refused (404): Not found: nothing here has that ${hint}`);
});

it.each([
  ['erasure', 'nobody asked for an erasure of that user (parley users erase does), or'],
  ['certificate', 'no erasure of that user is completed (parley users erasure says how far it is), or'],
])('says that a user may be there and have no %s', async (what, hint) => {
  answers = [['/operator/identity.json', 200, { deploymentId: 'parley/x', version: '0', mode: 'sandbox' }]];
  expect(await refusal('users', what, id)).toBe(
    `refused (404): Not found: ${hint} nothing here has that userId; parley users search --q … shows what there is`,
  );
});

it('says why an erased account is not enabled', async () => {
  answers = [
    ['/operator/identity.json', 200, { deploymentId: 'parley/x', version: '0', mode: 'sandbox' }],
    ['/operator/', 403, { ...problem(403, 'The account is disabled'), reason: 'account_disabled' }],
  ];
  expect(await refusal('users', 'enable', id, '--reason', 'x', '--yes')).toBe(
    'refused (account_disabled): The account is disabled: the user is erased, or is being erased, and stays so; ' +
      'parley users erasure <userId> says how far it is',
  );
});

it('names what was wrong as the command takes it', async () => {
  const issues = [
    { path: '/despiteWitnesses', message: 'is not true' },
    { path: '/elsewhere', message: 'is odd' },
  ];
  answers = [
    ['/operator/identity.json', 200, { deploymentId: 'parley/x', version: '0', mode: 'sandbox' }],
    ['/operator/v1/audit', 422, { ...problem(422, 'Invalid input'), issues }],
  ];
  expect(await refusal('audit', 'resume', '--as', 'successor', '--reason', 'x', '--yes')).toBe(
    '--despite-witnesses: is not true; elsewhere: is odd',
  );
});

it('says which stream is damaged, and what refuses a change', async () => {
  const detail = 'stream conversation-x misses events before revision 3 (docs/runbook.md, "ParleyStreamDamaged")';
  answers = [['/operator/', 503, { ...problem(503, 'A dependency did not answer'), reason: 'internal', detail }]];
  expect(await refusal('approvals', 'receipt', id)).toBe(`refused (internal): A dependency did not answer: ${detail}`);
});

it('says that an address or a token is not the right one', async () => {
  answers = [['/operator/', 404, null]];
  expect(await refusal('users', 'show', id)).toMatch(/^the answer 404 is not one of this API: PARLEY_URL must name/);
  answers = [['/operator/', 401, problem(401, 'The credentials were not accepted')]];
  expect(await refusal('users', 'show', id)).toMatch(/^refused \(401\): .*: PARLEY_OPERATOR_TOKEN, or/);
  answers = [];
  expect(await refusal('keys', 'find', '--key-file', join(folder, 'key'))).toBe(
    'refused (404): Not found: no partner key of this deployment is that one',
  );
});

it('a proof with faults fails its command', async () => {
  const flaws = [
    ['streams', 'verify', 'run-x', { faulty: 1, damage: null }, /^not all of it holds/],
    ['streams', 'verify', 'run-x', { faulty: 0, damage: 'misses events' }, /^not all of it holds/],
    ['streams', 'verify', 'run-x', { faulty: 0, damage: null }, /^done$/],
    ['approvals', 'receipt', id, { proof: { complete: false } }, /^the log does not cover every event/],
    ['approvals', 'receipt', id, { proof: { complete: true } }, /^done$/],
  ] as const;
  for (const [noun, verb, name, answer, words] of flaws) {
    answers = [['/operator/', 200, answer]];
    expect(await refusal(noun, verb, name)).toMatch(words);
  }
});

it('names the read models that there are', async () => {
  answers = [
    ['/operator/identity.json', 200, { deploymentId: 'parley/x', version: '0', mode: 'sandbox' }],
    ['/operator/v1/projections', 200, { data: [{ name: 'runs' }, { name: 'users' }] }],
  ];
  const said = await refusal('projections', 'rebuild', 'runs', 'user', '--reason', 'x', '--yes');
  expect(said).toBe('not all of these are read models. There are: runs, users');
});

it.each([
  ['tail', '/feed/v1/events', ['tail']],
  ['tail of a journal', '/v1/users/me', ['tail', '--conversation', id]],
  ['tail of another journal', `/v1/users/${id}/conversations`, ['tail', '--conversation', id]],
])('%s says a problem in words', async (_, path, args) => {
  const refused = {
    ...problem(422, 'The cursor is another one’s'),
    issues: [{ path: '/cursor', message: 'is no cursor' }],
  };
  answers = [
    [path, 422, refused],
    ['/v1/users/me', 200, { userId: id }],
  ];
  const said = await refusal(...args);
  expect(said).toMatch(/: The cursor is another one’s; cursor: is no cursor$/);
  expect(said).not.toMatch(/[{}]/);
});

it('names the scope that the entries of a log need', async () => {
  answers = [['/transparency/tile/entries', 403, problem(403, 'no')]];
  const served = servedLog(process.env['PARLEY_URL'] ?? '', 'a.b.c');
  await expect(served.read('tile/entries/000')).rejects.toThrow(
    /answered 403: PARLEY_OPERATOR_TOKEN needs the scope audit$/,
  );
});
