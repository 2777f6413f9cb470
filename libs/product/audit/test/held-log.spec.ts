/** A log whose identity is in doubt signs nothing until an operator says whether it is a copy or a successor. */
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { EventStore } from '@app/event-store';
import { Database, Notifications } from '@app/read-store';
import { Probe } from '@app/runtime';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, partOf, sql } from '@app/testing/journeys';
import { checkpointed, storedCheckpoints } from '@app/testing/transparency';
import { until } from '@app/testing/until';
import { checkpointWanted, Checkpoints, LogHeld, LogIncomplete } from '../src/signing/checkpoints';
import { CheckpointList } from '../src/log/checkpoint-list';
import { LogBuilder } from '../src/log/log-builder';
import { LogIdentity } from '../src/log/log-identity';
import { LogTables } from '../src/log/log-tables';
import { PlanResumption } from '../src/resumption/plan-resumption';
import { ResumeLog } from '../src/resumption/resume-log';
import { StoresIdentity } from '../src/stores/stores-identity';

let deployment: Deployment;
beforeEach(async () => {
  deployment = await startDeployment({ mode: 'in-process', env: { LOG_LEVEL: 'silent' } });
  await live();
  await checkpointed(deployment);
});
afterEach(() => deployment.stop());

async function live(): Promise<void> {
  await conversationOf(await deployment.newUser());
}

/** Simulates a database copied from another cluster. */
async function copied(): Promise<void> {
  await sql(deployment, 'UPDATE log_identity SET place = place || $1', [JSON.stringify({ cluster: 'of another one' })]);
}

const identity = () => partOf(deployment, LogIdentity);

/** Does what the process that builds the log does: it would sign now. */
async function makeCheckpoint(): Promise<unknown> {
  const tables = partOf(deployment, LogTables);
  const builder = new LogBuilder(partOf(deployment, EventStore), tables, new Probe());
  const { place, edge } = await builder.catchUp(new AbortController().signal);
  return partOf(deployment, Checkpoints).make(place, edge);
}

async function readyz(): Promise<Record<string, string>> {
  const answer = await fetch(`http://127.0.0.1:${deployment.managementPorts[0]}/readyz`);
  return ((await answer.json()) as { checks: Record<string, string> }).checks; // the endpoint's own shape
}

async function resume(as: 'copy' | 'successor', despiteWitnesses = false): Promise<void> {
  const planned = await partOf(deployment, QueryBus).execute(new PlanResumption(as, despiteWitnesses));
  if (!planned.ok) throw new Error(JSON.stringify(planned.refusal));
  await partOf(deployment, CommandBus).execute(new ResumeLog(planned.value));
}

const newestClaim = async () => (await storedCheckpoints(deployment)).claims.at(-1);

it('signs nothing and says so where the database lies elsewhere, and as a copy goes on under a name of its own', async () => {
  const before = await storedCheckpoints(deployment);
  await copied();
  await live();
  await expect(makeCheckpoint()).rejects.toThrow(LogHeld);
  expect((await newestClaim())?.where).toBe(before.claims.at(-1)?.where);
  expect(await readyz()).toMatchObject({ 'transparency log (copied)': 'degraded' });

  await resume('copy');
  const after = await until('a checkpoint of the copy', async () => {
    const said = await storedCheckpoints(deployment);
    return said.claims.at(-1)?.isFormer === false ? said : null;
  });
  expect(after.problems).toEqual([]);
  expect(after.formerOrigins).toEqual([before.origin]);
  expect(after.origin).not.toBe(before.origin);
  expect(after.claims.at(-1)?.note.startsWith(`${after.origin}\n`)).toBe(true);
  expect(await readyz()).not.toHaveProperty('transparency log (copied)');
  await checkpointed(deployment);
  const listed = await partOf(deployment, CheckpointList).list(null, 100);
  expect(listed.map(({ note }) => note)).toEqual(
    (await storedCheckpoints(deployment)).claims.map(({ note }) => note).toReversed(),
  );
});

/** Simulates a restore of the database in place, by a dump that recreates the tables. */
async function restoredInPlace(): Promise<void> {
  await sql(deployment, 'CREATE TABLE kept AS SELECT * FROM log_identity');
  await sql(deployment, 'DROP TABLE log_identity');
  await sql(
    deployment,
    'CREATE TABLE log_identity (one boolean PRIMARY KEY DEFAULT true, origin text, place jsonb, held jsonb, resuming jsonb)',
  );
  await sql(deployment, 'INSERT INTO log_identity SELECT * FROM kept');
}

/** Simulates a point-in-time recovery of PostgreSQL, or a promoted standby. */
async function recovered(): Promise<void> {
  await sql(deployment, 'UPDATE log_identity SET place = place || $1', [JSON.stringify({ timeline: '0000000A' })]);
}

it.each([
  ['by a dump over its tables', restoredInPlace],
  ['by a recovery that began another history', recovered],
])('signs nothing where the database was restored in its own place %s', async (_, restored) => {
  const { place } = await identity().row();
  expect(place).toMatchObject({ table: expect.any(String), timeline: expect.stringMatching(/^[0-9A-F]{8}$/) });
  await restored();
  await live();
  await expect(makeCheckpoint()).rejects.toThrow(LogHeld);
  await resume('successor');
  await checkpointed(deployment);
});

it('goes on where the events are elsewhere and PostgreSQL alone was recovered: they say what was signed', async () => {
  await sql(deployment, 'CREATE TABLE event_store_moves ()');
  await recovered();
  expect(await identity().hold()).toBeNull();
});

it('learns of its place what an earlier version did not write down, and nothing that is another one', async () => {
  await sql(deployment, `UPDATE log_identity SET place = place - 'table' - 'timeline'`);
  expect(await identity().hold()).toBeNull();
  await partOf(deployment, StoresIdentity).ensure();
  await recovered();
  await partOf(deployment, StoresIdentity).ensure();
  expect(await identity().hold()).toMatchObject({ why: 'copied' });
});

it('goes on as a successor under its own name', async () => {
  const before = await storedCheckpoints(deployment);
  await copied();
  await resume('successor');
  await live();
  await checkpointed(deployment);
  const after = await storedCheckpoints(deployment);
  expect([after.origin, after.problems]).toEqual([before.origin, []]);
  expect(after.claims.length).toBeGreaterThan(before.claims.length);
});

it('is resumed to one end wherever it is cut off', async () => {
  const { origin } = await storedCheckpoints(deployment);
  await copied();
  const hold = (await identity().hold())?.id ?? '';
  const asked = { hold, as: 'copy', origin: 'parley/one' } as const;
  await identity().beginResume(asked);
  // Interrupted before the event: the stores still belong together, and nothing is signed.
  await partOf(deployment, StoresIdentity).ensure();
  await expect(makeCheckpoint()).rejects.toThrow(LogHeld);
  await partOf(deployment, Checkpoints).resume('copy', asked, 0);
  // Interrupted after it: the next start continues.
  await partOf(deployment, StoresIdentity).ensure();
  expect([await identity().hold(), (await identity().row()).origin]).toEqual([null, 'parley/one']);
  // Completing the intent once more changes nothing.
  await partOf(deployment, CommandBus).execute(new ResumeLog({ ...asked, above: 0 }));
  const { origin: now, formerOrigins } = await storedCheckpoints(deployment);
  expect([now, formerOrigins]).toEqual(['parley/one', [origin]]);
});

it('signs nothing of a tree that is smaller than what was signed, and says so', async () => {
  const { size } = await partOf(deployment, LogTables).place();
  await sql(deployment, `UPDATE transparency_log SET size = size - 1`);
  await sql(deployment, `DELETE FROM transparency_leaves WHERE index >= $1`, [size - 1]);
  await expect(makeCheckpoint()).rejects.toThrow(LogIncomplete);
});

it('asks nobody else to sign while it is held', async () => {
  await copied();
  await partOf(deployment, Database).query('SELECT pg_notify($1, $2)', [checkpointWanted, '']);
  await expect(makeCheckpoint()).rejects.toThrow(/signs nothing: .*parley audit resume/s);
  expect(partOf(deployment, Notifications)).toBeDefined();
});
