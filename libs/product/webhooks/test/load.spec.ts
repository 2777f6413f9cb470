/** Measures how fast deliveries are next to an endpoint that hangs, and what the long backlog of a dead one costs. */
import { Database } from '@app/read-store';
import type { ScriptedJournal } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { setTimeout as sleep } from 'node:timers/promises';
import { Claims } from '../src/delivery/claims';
import { DeliveryStage } from './delivery-stage';

const full = process.env['FIGURES'] === 'full';
const perSecond = 200;
const SECONDS = full ? 30 : 3;
const BACKLOG = full ? 100_000 : 2_000;
const perJournal = 100;
const megabyte = 1024 * 1024;

let stage: DeliveryStage;
beforeEach(async () => {
  stage = await DeliveryStage.open({ workers: 2 });
});
afterEach(() => stage.close());

it(`at ${perSecond} events a second webhooks come soon, also beside an endpoint that hangs`, async () => {
  const [well, hanging] = [await stage.endpoint(), await stage.endpoint()];
  hanging.partner.manner = () => 'hang';
  const journals = await Promise.all(Array.from({ length: 50 }, () => stage.journal()));
  const appendedAtMs = new Map<string, number>();
  const tell = async (journal: ScriptedJournal): Promise<void> => {
    const atMs = Date.now();
    await stage.tell(journal);
    appendedAtMs.set(journal.ids.at(-1) ?? '', atMs);
  };
  // Due lanes are ordered by time, so the clock has to run.
  const running = setInterval(() => stage.moveClock(Date.now() - stage.nowMs), 5);
  const startedMs = performance.now();
  const telling: Promise<void>[] = [];
  for (let n = 0; n < perSecond * SECONDS; n += 1) {
    const waitMs = startedMs + (n * 1_000) / perSecond - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    telling.push(tell(journals[n % journals.length]!)); // there are fifty
    if (telling.length === journals.length) await telling.shift();
  }
  await Promise.all(telling);
  await until('all', async () => (well.partner.taken.length >= appendedAtMs.size ? true : null));
  clearInterval(running);
  const tookMs = well.partner.taken.map(({ id, atMs }) => atMs - (appendedAtMs.get(id) ?? 0)).sort((a, b) => a - b);
  const at = (part: number) => tookMs[Math.floor((tookMs.length - 1) * part)] ?? 0;
  process.stdout.write(
    `webhooks: ${tookMs.length} events at ${perSecond}/s (3 s; 30 s with FIGURES=full), from the append on: median ${at(0.5)} ms, ` +
      `p99 ${at(0.99)} ms, longest ${at(1)} ms; beside it an endpoint hung\n`,
  );
  expect(tookMs).toHaveLength(appendedAtMs.size);
  expect(at(0.99)).toBeLessThan(60_000);
}, 300_000);

it(`a backlog of ${BACKLOG} to a dead endpoint takes no memory, and claims stay fast`, async () => {
  const dead = await stage.endpoint();
  await dead.partner.leave();
  await stage.untilKnown(dead.endpointId);
  const [worker] = stage.workers;
  if (worker === undefined) throw new Error('there is no worker');
  const beforeBytes = process.memoryUsage().heapUsed;
  for (let told = 0; told < BACKLOG; told += perJournal) await stage.tell(await stage.journal(), perJournal);
  const database = worker.get(Database);
  const count = async () => {
    const rows = await database.query<{ count: number }>('SELECT count(*)::integer AS count FROM webhook_deliveries');
    return rows[0]?.count === BACKLOG ? true : null;
  };
  await until('all that is owed', count, 300_000);
  await sleep(2_000);
  const grown = (process.memoryUsage().heapUsed - beforeBytes) / megabyte;
  const claims = worker.get(Claims);
  const tookMs: number[] = [];
  for (let n = 0; n < 20; n += 1) {
    const startedMs = performance.now();
    // At a time when nothing is due: it reads, and takes nothing from the workers.
    await claims.take(0, new Map());
    tookMs.push(performance.now() - startedMs);
  }
  tookMs.sort((a, b) => a - b);
  process.stdout.write(
    `webhooks: a backlog of ${BACKLOG} (2,000; 100,000 with FIGURES=full) to a dead endpoint: heap ${Math.round(grown)} MB more, ` +
      `a claim takes ${tookMs[10]?.toFixed(1)} ms at the median\n`,
  );
  expect(grown).toBeLessThan(400);
}, 900_000);
