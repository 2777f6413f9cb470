/** The drills of docs/runbook.md, followed word for word on a sandbox in which the cause of each was produced. */
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { Client } from 'pg';
import { findRunningStores } from '@app/data-folder';
import type { TestClient } from '@app/testing/client';
import { confirm, defined, occurrencesOf, prepare, untilOperation, usdc } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { parleyMain } from './cli';
import { drillPages, lockStatement, runStep, taken } from './drill-pages';
import { TriggerStage } from './trigger-stage';

const amountRaw = '1234567';
const verifier = join(__dirname, '..', '..', 'scripts', 'verify-receipt.mjs');

/** The variables that the reader of a page has, and the facts about the cause that its blocks must show, by the beginning of each block. */
interface Cause {
  readonly given: Readonly<Record<string, string>>;
  readonly facts: Readonly<Record<string, readonly string[]>>;
}

let stage: TriggerStage;
let user: TestClient;
let programs: string;

beforeAll(async () => {
  stage = await TriggerStage.start();
  const { folder, client } = stage.sandbox;
  user = client;
  expect((await user.post('/wallet')).status).toBe(200);
  programs = join(folder, 'programs');
  await mkdir(programs);
  await writeFile(join(programs, 'parley'), `#!/bin/sh\nexec '${process.execPath}' '${parleyMain}' "$@"\n`);
  await chmod(join(programs, 'parley'), 0o755);
  // The folder serves as data folder and as clone.
  const scripts = { 'verify-receipt': `node '${verifier}'` };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ scripts }));
}, 120_000);
afterAll(() => stage?.sandbox.stop());

async function connected(applicationName: string): Promise<Client> {
  const stores = await findRunningStores(join(stage.sandbox.folder, '.parley'));
  const client = new Client({ connectionString: stores?.databaseUrl ?? '', application_name: applicationName });
  client.on('error', () => undefined); // the connection ends with the database if the test fails
  await client.connect();
  return client;
}

const faults = (provider: object) => stage.lever('PUT', 'faults', { provider });

async function withdrawn(status: string) {
  const prepared = await prepare(user, usdc, amountRaw);
  expect((await confirm(user, prepared)).status).toBe(202);
  await untilOperation(user, prepared.operationId, status);
  return prepared;
}

/** A withdrawal that the provider has accepted and does not settle. */
async function stuckMoney(): Promise<Cause> {
  await faults({ settleAfterSeconds: 3_600 });
  const { operationId } = await withdrawn('submitted');
  const reference = /^sandbox-/;
  const look = await until('the reference', async () => {
    const { body } = await user.get<{ actions: { providerReference: string | null }[] }>(
      `/financial-operations/${operationId}`,
    );
    return body.actions[0]?.providerReference ?? null;
  });
  expect(look).toMatch(reference);
  return {
    given: {},
    facts: {
      'parley unresolved list': [operationId, user.userId, 'submitted', amountRaw, look],
      'parley users search': [user.userId],
      'parley streams events': [look],
      'parley controls pause': ['withdrawals'],
    },
  };
}

/** An automation whose last occurrence was rejected because its user's budget is frozen. */
async function silentAutomation(): Promise<Cause> {
  const { id, revision } = await defined(user);
  const frozen = await stage.operator.post(`/users/${user.userId}/freeze`, { reason: 'a drill' });
  expect(frozen.status).toBe(200);
  await user.post(`/automations/${id}/invoke`, { revision, idempotencyKey: randomUUID() });
  const rejected = await until('the rejection', async () => {
    const [last] = await occurrencesOf(user, id);
    return last?.delivery === 'rejected' ? last : null;
  });
  // Reason for the assertion: a rejected occurrence has one.
  const { text } = rejected['reason'] as { text: string };
  return {
    given: { USER_ID: user.userId },
    facts: {
      'parley automations list --state failing': [id, 'rejected', text],
      'parley automations show': [`was rejected: “${text}”`],
      'parley streams events': [text],
    },
  };
}

async function leakedKey(): Promise<Cause> {
  const minted = await stage.operator.post<{ key: string; keyId: string }>('/partner-keys', {
    label: 'Acme',
    reason: 'a partner',
  });
  await writeFile(join(stage.sandbox.folder, 'leaked.key'), `${minted.body.key}\n`);
  leaked = minted.body.key;
  const headers = { ...user.headers, 'x-api-key': leaked, 'content-type': 'application/json' };
  const made = await fetch(user.url('/conversations'), { method: 'POST', headers, body: '{}' });
  expect(made.status).toBe(201);
  return {
    given: {},
    facts: {
      'parley keys find': [minted.body.keyId, 'Acme'],
      'parley keys mint': ['pk_'],
    },
  };
}

let leaked = '';
async function statusWith(partnerKey: string): Promise<number> {
  const headers = { ...user.headers, 'x-api-key': partnerKey };
  return (await fetch(user.url('/v1/users/me'), { headers })).status;
}

/** A row of a read model that was altered by hand. */
async function alteredRow(): Promise<Cause> {
  await faults({ settleAfterSeconds: 0 });
  const { approvalId } = await withdrawn('settled');
  const admin = await connected('psql');
  await admin.query(`UPDATE approvals SET status = 'denied' WHERE id = $1`, [approvalId]);
  await admin.end();
  return {
    given: {},
    facts: {
      'parley rebuilds differences': [approvalId, 'status', 'denied', 'approved'],
      'parley approvals show': ['approved'],
    },
  };
}

async function doubtedApproval(): Promise<Cause> {
  await faults({ settleAfterSeconds: 0 });
  const { approvalId, operationId } = await withdrawn('settled');
  return {
    given: { APPROVAL_ID: approvalId, SERVICE: stage.sandbox.access.baseUrl },
    facts: {
      'parley approvals show': [user.userId, 'approved', 'Withdraw 1.234567 USDC', operationId],
      'parley streams verify': [operationId],
    },
  };
}

const causes: readonly [string, () => Promise<Cause>][] = [
  ['Whose money is stuck', stuckMoney],
  ['Why did it not fire', silentAutomation],
  ['A leaked key', leakedKey],
  ['Rebuild and judge', alteredRow],
  ['Prove that this was approved', doubtedApproval],
];

it('there is a page for each of the five questions', () => {
  expect([...drillPages().keys()]).toEqual(causes.map(([title]) => title));
});

it.each(causes)('"%s" is answered by the words of its page', async (title, bringAbout) => {
  const { given, facts } = await bringAbout();
  const steps = drillPages().get(title) ?? [];
  expect(steps.length).toBeGreaterThan(4);
  const variables: Record<string, string> = { ...given };
  const unseen = new Set(Object.keys(facts));
  const startedMs = performance.now();
  for (const { commands, shows, endsWith, takes } of steps) {
    const { code, output } = await runStep(commands, { cwd: stage.sandbox.folder, programs, variables });
    expect([commands, code, output]).toEqual([commands, endsWith, expect.any(String)]);
    for (const { name, label } of takes) variables[name] = taken(output, label);
    const begun = Object.keys(facts).filter((prefix) => commands.startsWith(prefix));
    begun.forEach((prefix) => unseen.delete(prefix));
    const expected = [
      ...shows.map((text) => text.replaceAll(/\$([A-Z_]+)/g, (_, name: string) => variables[name] ?? `no ${name}`)),
      ...begun.flatMap((prefix) => facts[prefix] ?? []),
    ];
    const onOneLine = output.replaceAll(/\s+(?:\|\s+)?/g, ' ');
    const missing = expected.filter((text) => !output.includes(text) && !onOneLine.includes(text));
    expect([commands, output, missing]).toEqual([commands, output, []]);
  }
  const tookMs = performance.now() - startedMs;
  process.stdout.write(`drill "${title}": ${steps.length} blocks in ${Math.round(tookMs / 1_000)} s\n`);
  expect([...unseen]).toEqual([]);
});

it('the key of the drill is refused since then', async () => {
  expect(leaked).toMatch(/^pk_/);
  await until('the refusal', async () => ((await statusWith(leaked)) === 401 ? true : null));
});

it('the statement on locks names who holds one, since when, and who waits for what', async () => {
  const [holder, waiter, reader] = [await connected('left open'), await connected('a dump'), await connected('psql')];
  await holder.query('BEGIN; LOCK TABLE timers IN ACCESS EXCLUSIVE MODE');
  const waiting = waiter.query('SELECT count(*) FROM timers');
  waiting.catch(() => undefined);
  const row = await until('the waiter', async () => {
    const { rows } = await reader.query<Record<string, unknown>>(lockStatement);
    return rows.find((one) => one['waiter'] === 'a dump') ?? null;
  });
  expect(row).toMatchObject({
    holder: 'left open',
    state: 'idle in transaction',
    since: expect.any(Date) as Date,
    waited_for: 'timers',
    waits_with: 'SELECT count(*) FROM timers',
  });
  await reader.query('SELECT pg_terminate_backend($1)', [row['pid']]);
  await waiting.catch(() => undefined);
  await Promise.all([waiter.end(), reader.end()]);
});
