// node test/deployment/released/keep.mjs 0.2.0 (after npm run build): uses this version a little and keeps the result, which is a backup of
// its data folder and its answers. Run once for each released version, and never again for the same one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const root = path.join(import.meta.dirname, '..', '..', '..');
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const port = 18_080;

const [version] = process.argv.slice(2);
if (version === undefined) throw new Error('name the version that is kept');
const kept = path.join(import.meta.dirname, version);
const folder = await mkdtemp(path.join(tmpdir(), 'parley-keep-'));
// Ids of users are derived from the issuer, and this key, which protects nothing but play money, opens what is sealed.
const given = JSON.parse(await readFile(path.join(import.meta.dirname, 'environment.json'), 'utf8'));
const env = {
  ...process.env,
  ...given,
  PORT: String(port),
  OIDC_JWKS_URI: `http://127.0.0.1:${port}/sandbox/issuer/jwks`,
  PARLEY_DATA_DIR: path.join(folder, 'data'),
};
const service = spawn(process.execPath, [path.join(root, 'dist/apps/standalone/src/main.js')], { env, cwd: folder });
try {
  await until(async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => null))?.ok === true);
  const access = await until(() =>
    readFile(path.join(folder, 'data', 'sandbox.json'), 'utf8').then(JSON.parse, () => null),
  );
  const user = clientOf(access);
  const looks = await live(user);
  const answers = {};
  for (const look of looks) answers[look] = await user.get(look);
  const { assets } = await user.get('/wallet/withdrawals/sources');
  const holdings = Object.fromEntries(assets.map(({ tokenId, amountRaw }) => [tokenId, amountRaw]));
  await mkdir(kept);
  const [to, keysTo] = [path.join(kept, 'backup'), path.join(kept, 'keys')];
  await run('dist/apps/cli/src/main.js', 'backup', '--to', to, '--keys-to', keysTo);
  // The next folder generates its own secrets; the key that opens what is sealed is in environment.json.
  await rm(path.join(kept, 'backup', 'secrets.json'), { force: true });
  await writeFile(
    path.join(kept, 'answers.json'),
    `${JSON.stringify({ userId: access.userId, holdings, answers }, null, 2)}\n`,
  );
} finally {
  service.kill('SIGTERM');
  await once(service, 'exit');
  await rm(folder, { recursive: true });
}

/** Creates something of each kind. @returns the paths at which it can be read, below the user's */
async function live(user) {
  const conversation = await user.post('/conversations', { title: 'What was said' });
  const at = `/conversations/${conversation.id}`;
  const say = async (text) => {
    const { runId } = await user.post('/agent-runs', { conversationId: conversation.id, input: { text } });
    return runId;
  };
  const ended = (runId) =>
    until(async () => ['completed', 'failed'].includes((await user.get(`/agent-runs/${runId}`)).status));
  const spoken = await say('repeat after me: "quoted", back\\slash and \u{1f511}');
  await ended(spoken);
  const artifact = await user.post(`${at}/artifacts?name=notes.txt`, 'It rained.');
  const asked = await say('swap 1 USDC to NEAR');
  const pending = await until(async () => (await user.get(`/agent-runs/${asked}`)).pendingApprovalIds[0]);
  const { fingerprint } = await user.get(`/approvals/${pending}`);
  await user.post(`/approvals/${pending}/approve`, { fingerprint });
  await ended(asked);
  const prepared = await user.post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '1000' });
  await user.post(`/wallet/withdrawals/${prepared.operationId}/confirm`, { fingerprint: prepared.fingerprint });
  await until(async () => (await user.get(`/financial-operations/${prepared.operationId}`)).status === 'settled');
  const denied = await user.post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '2000' });
  await user.post(`/approvals/${denied.approvalId}/deny`, { reason: 'not now' });
  return [
    at,
    `${at}/events?limit=500`,
    `${at}/messages`,
    `${at}/artifacts`,
    `${at}/artifacts/${artifact.id}`,
    '/conversations',
    '/agent-runs',
    `/agent-runs/${spoken}`,
    '/approvals',
    `/approvals/${pending}`,
    '/financial-operations',
    `/financial-operations/${prepared.operationId}`,
    '/wallet',
  ];
}

function clientOf({ baseUrl, partnerKey, userToken, userId }) {
  const call = async (method, where, body) => {
    const isText = typeof body === 'string';
    const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${userToken}` };
    if (body !== undefined) headers['content-type'] = isText ? 'text/plain' : 'application/json';
    const sent = body === undefined || isText ? body : JSON.stringify(body);
    const answer = await fetch(`${baseUrl}/v1/users/${userId}${where}`, { method, headers, body: sent });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${where}: ${answer.status} ${text}`);
    return text === '' ? null : JSON.parse(text);
  };
  return { get: (where) => call('GET', where), post: (where, body) => call('POST', where, body) };
}

async function until(look) {
  for (let count = 0; count < 1_200; count += 1) {
    const found = await look();
    if (found) return found;
    await sleep(100);
  }
  throw new Error('waited for two minutes');
}

async function run(main, ...args) {
  const child = spawn(process.execPath, [path.join(root, main), ...args], { env, cwd: folder, stdio: 'inherit' });
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${args[0]} ended with ${code}`);
}
