import { randomUUID } from 'node:crypto';
import { decodeOwn, EventStore, openEvents, type StoredEvent } from '@app/event-store';
import { KeyRing } from '@app/sealing';
import { operatorOf, type OperatorClient } from '@app/testing/client';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import {
  conversationOf,
  expectProblem,
  missingId,
  newOwner,
  partOf,
  say,
  sql,
  type Listed,
} from '@app/testing/journeys';
import { askExport, exportedFiles, linesOf, type ExportedFiles } from '@app/testing/exports';
import { erase, fileOfAll, newPerson, untilErasure, type Person } from '@app/testing/erasures';

const mark = () => `w${randomUUID().replaceAll('-', '')}`;
const scopes = ['users', 'audit', 'deployment'];

let deployment: Deployment;
let operator: OperatorClient;
let person: Person;
let other: Person;

beforeAll(async () => {
  deployment = await startDeployment({ mode: 'in-process' });
  operator = await operatorOf(deployment, scopes);
  [person, other] = [await newPerson(deployment, mark()), await newPerson(deployment, mark())];
});
afterAll(() => deployment.stop());

async function exported({ user }: Pick<Person, 'user'>): Promise<ExportedFiles> {
  const response = await askExport(operator, user.userId);
  expect(response.status).toBe(200);
  expect(response.headers.get('content-type')).toBe('application/zip');
  return exportedFiles(Buffer.from(await response.arrayBuffer()));
}

/** Every stored event, in order. */
async function allStored(): Promise<StoredEvent[]> {
  const store = partOf(deployment, EventStore);
  const found: StoredEvent[] = [];
  for (let after = 0; ;) {
    const page = await store.readAllRaw(after, 500);
    found.push(...page.flatMap((received) => decodeOwn(received) ?? []));
    after = page.at(-1)?.position ?? after;
    if (page.length < 500) return found;
  }
}

/** The stored events of a user, found without the code under test: by the keys of their words, and by the user's id. */
async function storedOf({ user }: Person): Promise<StoredEvent[]> {
  const keys = await sql<{ id: string }>(deployment, 'SELECT key_id AS id FROM sealing_keys WHERE user_id = $1', [
    user.userId,
  ]);
  const own = new Set(keys.map(({ id }) => id));
  const stored = (await allStored()).filter(({ stream }) => !/^(operator|audit)-/.test(stream));
  const isOwn = (event: StoredEvent) =>
    own.has(event.metadata.sealed?.key ?? '') || JSON.stringify([event.stream, event.payload]).includes(user.userId);
  const streams = new Set(stored.filter(isOwn).map(({ stream }) => stream));
  return stored.filter(({ stream }) => streams.has(stream));
}

function valueAt(object: unknown, path: string): unknown {
  // Reason for the assertion: the path is one of a sealed member, whose parents are objects.
  return path.split('/').reduce((value, name) => (value as Record<string, unknown> | undefined)?.[name], object);
}

describe('the export of a user', () => {
  let archive: ExportedFiles;
  beforeAll(async () => {
    archive = await exported(person);
  });

  it('has every event of the user, with each sealed member open', async () => {
    const stored = await storedOf(person);
    const open = await openEvents(partOf(deployment, KeyRing), stored);
    const byId = new Map(archive.events.map((event) => [event.id, event]));
    const missing = stored.filter(({ id }) => !byId.has(id)).map(({ stream, type }) => `${type} of ${stream}`);
    expect(missing).toEqual([]);
    let members = 0;
    stored.forEach((event, n) => {
      for (const path of event.metadata.sealed?.members ?? []) {
        const whole = { ...open[n]?.metadata.private, ...open[n]?.payload };
        expect(valueAt(byId.get(event.id)?.event, path)).toEqual(valueAt(whole, path));
        members += 1;
      }
    });
    expect(members).toBeGreaterThan(20);
    expect(archive.events.map(({ id }) => id).sort()).toEqual(stored.map(({ id }) => id).sort());
  });

  it('has words of each kind', async () => {
    const texts = [...archive.files.values()].map((content) => content.toString('utf8')).join('\n');
    for (const words of ['talk', 'work', 'wish', 'money', 'rule']) expect(texts).toContain(`${person.mark} ${words}`);
    expect(texts).toContain(`repeat after me: ${person.mark}`);
    expect(texts).not.toContain('"sealed"');
    expect(texts).not.toContain('{"erased":true}');
  });

  it('has the bytes of each artifact', async () => {
    const [artifact] = linesOf<Record<string, unknown>>(archive.files, 'artifacts.jsonl');
    expect(artifact).toMatchObject({ id: person.artifactId, name: `${person.mark}.txt`, mediaType: 'text/plain' });
    expect(archive.files.get(String(artifact?.['file']))?.toString('utf8')).toBe(fileOfAll);
  });

  it('has nothing of another user, and no name of an operator', async () => {
    for (const [name, content] of archive.files) {
      for (const foreign of [other.mark, other.user.userId, ...other.conversations, '"ada"'])
        expect([name, foreign, content.includes(foreign)]).toEqual([name, foreign, false]);
    }
  });

  it('says in an index what it is', async () => {
    const { readme, manifest } = archive;
    expect(manifest).toMatchObject({ format: 'parley-export/1', complete: true, userId: person.user.userId });
    expect(manifest.missing).toEqual({ total: 0, named: [] });
    for (const { name } of manifest.files.filter((file) => file.name.endsWith('.jsonl')))
      expect(readme).toContain(name);
    for (const words of [person.user.userId, 'What is not included, and why', '4 streams'])
      expect(readme).toContain(words);
  });

  it('is logged with its reason', async () => {
    const { body } = await operator.get<Listed>('/log?limit=100');
    const read = body.data.find(
      ({ operation, target }) => operation === 'users.export' && target === person.user.userId,
    );
    expect(read).toMatchObject({
      type: 'operator.read',
      operator: 'ada',
      parameters: { reason: 'the person asked for it' },
    });
  });
});

describe('operators', () => {
  it('get a clear refusal for what cannot be exported', async () => {
    const { userId } = other.user;
    const reason = 'the person asked for it';
    expectProblem(await operator.post(`/users/${missingId}/export`, { reason }), 'not_found');
    expectProblem(await operator.post('/users/nobody/export', { reason }), 'not_found');
    expectProblem(await operator.post(`/users/${userId}/export`, {}), 'invalid_input', { at: ['/reason'] });
    const more = { reason, from: 'x' };
    expectProblem(await operator.post(`/users/${userId}/export`, more), 'invalid_input', { at: ['/from'] });
    const without = await operatorOf(deployment, ['audit']);
    expectProblem(await without.post(`/users/${userId}/export`, { reason }), 'permission_required');
  });
});

describe('the export of a user who is erased', () => {
  it('is what is left, with erased words', async () => {
    const leaver = await newPerson(deployment, mark());
    const before = await exported(leaver);
    await erase(operator, leaver.user);
    await untilErasure(operator, leaver.user, 'completed');
    const after = await exported(leaver);
    const texts = [...after.files.values()].map((content) => content.toString('utf8')).join('\n');
    expect(texts).not.toContain(leaver.mark);
    expect(after.events.find(({ type }) => type === 'user.provisioned')?.event).toMatchObject({
      issuer: { erased: true },
      subject: { erased: true },
    });
    const ids = new Set(after.events.map(({ id }) => id));
    const gone = before.events.filter(({ id }) => !ids.has(id)).map(({ type }) => type);
    // Nothing leads from an erased user to the identity.
    expect(gone).toEqual(['identity.opened']);
    expect(linesOf(after.files, 'artifacts.jsonl')).toMatchObject([{ name: { erased: true }, file: null }]);
    expect(after.readme).toContain('1 uploaded files were erased');
    expect(after.manifest.missing).toEqual({ total: 0, named: [] });
    // As words have it that were sealed after the erasure.
    await sql(deployment, "DELETE FROM sealing_keys WHERE key_id = 'c/' || $1", [leaver.conversations[0]]);
    partOf(deployment, KeyRing).forgetAll();
    expect((await exported(leaver)).manifest.missing).toEqual({ total: 0, named: [] });
  });
});

describe('the export of a user whose key is lost', () => {
  it('names the events whose words cannot be read, and does not say that they were erased', async () => {
    const loser = await newPerson(deployment, mark());
    const [lost] = loser.conversations;
    await sql(deployment, "DELETE FROM sealing_keys WHERE key_id = 'c/' || $1", [lost]);
    partOf(deployment, KeyRing).forgetAll();
    const { manifest, readme, events } = await exported(loser);
    expect(events.some(({ stream }) => stream === `conversation-${lost}`)).toBe(true);
    expect(manifest.missing.named).toContainEqual({
      what: `event 1 of conversation-${lost}`,
      why: 'some of its words were altered, or have lost their key',
    });
    expect(readme).not.toContain('Nothing that is kept was found missing or damaged.');
  });
});

describe('the export of words that look closed', () => {
  it('has them as they are, and names nothing as missing', async () => {
    const user = await newOwner(deployment);
    const id = await conversationOf(user);
    const outputSchema = { type: 'object', properties: { erased: { const: true } }, required: ['erased'] };
    expect(await say(user, id, 'is it erased?', { profile: { outputSchema } })).toMatchObject({
      output: { erased: true },
    });
    const { manifest, readme, events } = await exported({ user });
    expect(events.find(({ type }) => type === 'run.ended')?.event).toMatchObject({ output: { erased: true } });
    expect(manifest.missing).toEqual({ total: 0, named: [] });
    expect(readme).toContain('Nothing that is kept was found missing or damaged.');
  });
});
