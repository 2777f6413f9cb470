/** The export of a user whose events and files are damaged: it names what is missing, and has all else. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { EventStore } from '@app/event-store';
import { Configuration } from '@app/settings';
import { operatorOf, type OperatorClient, type TestClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { askExport, exportedFiles, linesOf, type ExportedFiles } from '@app/testing/exports';
import {
  asking,
  conversationOf,
  defined,
  giveInput,
  newOwner,
  partOf,
  raw,
  read,
  rule,
  say,
  sql,
  untilEnded,
  update,
} from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { PartnerEndpoint } from '@app/testing/webhooks';

let deployment: Deployment;
let operator: OperatorClient;
let endpoint: PartnerEndpoint;
let user: TestClient;
let made: Awaited<ReturnType<typeof writeAll>>;
beforeAll(async () => {
  endpoint = await new PartnerEndpoint().listen();
  deployment = await startDeployment({ mode: 'in-process' });
  operator = await operatorOf(deployment, ['users', 'webhooks']);
  const asked = { url: endpoint.url, description: 'Acme', reason: 'a test' };
  const { body } = await operator.post('/webhook-endpoints', asked);
  endpoint.secret = String(body['secret']);
  user = await newOwner(deployment);
  made = await writeAll();
});
afterAll(async () => {
  await deployment.stop();
  await endpoint.leave();
});

async function upload(conversationId: string, name: string, body: string): Promise<string> {
  const headers = { 'content-type': 'text/plain' };
  const path = `/conversations/${conversationId}/artifacts?name=${name}`;
  const answer = await raw(user, 'POST', path, { body, headers });
  expect(answer.status).toBe(201);
  return String(answer.body['id']);
}

/** Makes something of each kind, with a word of its own in each. */
async function writeAll() {
  const [cut, gone, whole] = [
    await conversationOf(user, 'the cut one'),
    await conversationOf(user, 'the gone one'),
    await conversationOf(user, 'the whole one'),
  ];
  for (const id of [cut, gone, whole]) await say(user, id, `repeat after me: said in ${id}`);
  expect((await user.request('PATCH', `/conversations/${whole}`, { title: 'the renamed one' })).status).toBe(200);
  const { approval, runId } = await asking(user, whole, 'withdraw 0.5 USDC');
  expect((await user.post(`/approvals/${approval.id}/deny`, { reason: 'the denied one' })).status).toBe(200);
  await untilEnded(user, runId);
  const { id: automationId } = await defined(user, { name: 'the first rule' });
  const updated = await update(user, await read(user, automationId), rule({ name: 'the second rule' }));
  expect(updated.status).toBe(200);
  const input = { data: 'the given one' };
  expect((await giveInput(user, automationId, 'invoke', { input })).status).toBe(202);
  const lost = await upload(whole, 'lost.txt', 'the lost bytes');
  const kept = await upload(whole, 'kept.txt', 'the kept bytes');
  await until('deliveries', async () => (endpoint.taken.length > 3 ? true : null));
  return { cut, gone, whole, lost, kept, automationId };
}

async function exported(): Promise<ExportedFiles> {
  return until('an export', async () => {
    const response = await askExport(operator, user.userId);
    if (response.status === 200) return exportedFiles(Buffer.from(await response.arrayBuffer()));
    await response.body?.cancel();
    return null;
  });
}

const textOf = ({ files }: ExportedFiles) => [...files.values()].map((content) => content.toString('utf8')).join('\n');

it('has inputs, reasons, updates and deliveries', async () => {
  const archive = await exported();
  expect(archive.manifest.missing).toEqual({ total: 0, named: [] });
  const text = textOf(archive);
  for (const words of [
    'the cut one',
    'the gone one',
    'the renamed one',
    'the denied one',
    'the first rule',
    'the second rule',
    'the given one',
    'the lost bytes',
  ])
    expect(text).toContain(words);
  const notices = linesOf(archive.files, 'notices-to-partners.jsonl');
  expect(notices).toContainEqual(
    expect.objectContaining({ state: 'delivered', stream: `conversation-${made.whole}`, lastStatus: 204 }),
  );
});

it('names a stream that was cut, one that is gone and a file that is missing, and has all else', async () => {
  const before = await exported();
  const store = partOf(deployment, EventStore);
  const [cut, gone] = [`conversation-${made.cut}`, `conversation-${made.gone}`];
  await store.client.setStreamMetadata(cut, { truncateBefore: 2 });
  await store.client.tombstoneStream(gone);
  await until('the damage is known', async () => store.damaged.of(cut) && store.damaged.of(gone));
  const [row] = await sql<{ content: { sha256: string } }>(deployment, 'SELECT content FROM artifacts WHERE id = $1', [
    made.lost,
  ]);
  const { PARLEY_DATA_DIR: dataDir } = partOf(deployment, Configuration).env;
  const hash = row?.content.sha256 ?? '';
  await rm(join(dataDir, 'artifacts', hash.slice(0, 2), hash));

  const after = await exported();
  const named = after.manifest.missing.named.map(({ what }) => what);
  expect(named.toSorted()).toEqual([`artifact ${made.lost}`, cut, gone].toSorted());
  expect(after.manifest.missing.total).toBe(3);
  for (const { what, why } of after.manifest.missing.named) expect(after.readme).toContain(`- \`${what}\`: ${why}`);

  const ids = new Set(after.events.map(({ id }) => id));
  const lacking = before.events.filter(({ id }) => !ids.has(id));
  const taken = before.events.filter(({ stream, seq }) => stream === gone || (stream === cut && seq <= 2));
  expect(lacking).toEqual(taken);
  expect(taken.filter(({ stream }) => stream === cut)).toHaveLength(2);
  const bytesOf = (id: string) =>
    [...after.files].find(([name]) => name.startsWith(`artifacts/${id}`))?.[1].toString('utf8');
  expect([bytesOf(made.lost), bytesOf(made.kept)]).toEqual(['', 'the kept bytes']);
  for (const [name, content] of before.files)
    if (!/^(conversations\.jsonl|artifacts\/.*|README\.md|manifest\.json|notices-.*)$/.test(name))
      expect([name, hashOf(after.files.get(name))]).toEqual([name, hashOf(content)]);
});

const hashOf = (content: Buffer | undefined) => content && createHash('sha256').update(content).digest('hex');
