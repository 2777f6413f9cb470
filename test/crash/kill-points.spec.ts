/**
 * Reliability 1: api and worker are killed with SIGKILL at every append, commit, model step, tool call and call of the
 * wallet provider, without any effect on the results.
 */
import type { ProbePoint } from '@app/runtime';
import { seededRandom } from '@app/testing/journeys';
import { KillLane, noFindings, type LaneFindings, type Round } from './kill-lane';
import type { KillOrder, PassedPoints } from './kill-orders';

const full = process.env['FIGURES'] === 'full';
/** The number of kills at each point, each in a different journey. Without FIGURES, one point of each kind is chosen. */
const SEEDS = Number(process.env['KILL_SEEDS'] ?? 1);
/**
 * Parallel deployments, every second with one replica of each app, because the runs of a killed worker mostly wait for
 * its leases to end.
 */
const LANES = Number(process.env['KILL_LANES'] ?? (full ? 3 : 1));
/** The largest number of planned rounds, in random order; all of them if absent. */
const ROUNDS = Number(process.env['KILL_ROUNDS'] ?? Infinity);
/** A process that has just started is killed again within this many passes of a point. */
const SECOND_NTH_MAX = 3;
const TIMEOUT_MS = full ? 3_600_000 * SEEDS : 900_000;

const random = seededRandom(full ? Date.now() : 1);
const anyOf = <Item>(items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('there is nothing to choose from');
  return item;
};

function everyOrder(passed: PassedPoints): KillOrder[] {
  // Reason for the assertion: the keys of this record are the points.
  const counted = Object.entries(passed) as [ProbePoint, number][];
  return counted.flatMap(([point, count]) => Array.from({ length: count }, (_, index) => ({ point, nth: index + 1 })));
}

/** One order for each kind of point, in random order. */
function oneOfEach(orders: readonly KillOrder[]): KillOrder[] {
  const kinds = [...new Set(orders.map(({ point }) => point))].sort(() => random() - 0.5);
  return kinds.map((kind) => anyOf(orders.filter(({ point }) => point === kind)));
}

const early = ({ point, nth }: KillOrder): KillOrder => ({ point, nth: 1 + (nth % SECOND_NTH_MAX) });

/** In a round the worker dies twice, or the api once; without FIGURES both may die in the same round. */
function plan(passed: { readonly worker: PassedPoints; readonly api: PassedPoints }): Round[] {
  const [ofWorker, ofApi] = [everyOrder(passed.worker), everyOrder(passed.api)];
  if (!full) {
    const [kinds, api] = [oneOfEach(ofWorker), oneOfEach(ofApi)];
    const half = Math.ceil(kinds.length / 2);
    return kinds.slice(0, half).map((first, index) => {
      const second = kinds[half + index];
      const worker = { first, second: second === undefined ? null : early(second) };
      const dying = api[index];
      return { seed: index, deaths: { worker, ...(dying && { api: { first: dying, second: null } }) } };
    });
  }
  return Array.from({ length: SEEDS }, (_, seed) => [
    ...ofWorker.map((first) => ({ seed, deaths: { worker: { first, second: early(anyOf(ofWorker)) } } })),
    ...ofApi.map((first) => ({ seed, deaths: { api: { first, second: null } } })),
  ])
    .flat()
    .sort(() => random() - 0.5)
    .slice(0, ROUNDS);
}

let lanes: KillLane[] = [];
afterEach(async () => {
  await Promise.all(lanes.map((lane) => lane.stop()));
  lanes = [];
});

test(
  'whatever is killed wherever, everything comes to its end once',
  async () => {
    lanes = await Promise.all(Array.from({ length: LANES }, (_, lane) => KillLane.start(lane % 2 === 0 ? 2 : 1)));
    const waiting = plan(await anyOf(lanes).count());
    const walk = async (lane: KillLane): Promise<LaneFindings> => {
      for (let round = waiting.shift(); round; round = waiting.shift()) {
        await lane.round(round).catch((error: unknown) => {
          throw new Error(`in round ${JSON.stringify(round)}`, { cause: error });
        });
      }
      return lane.audit();
    };
    const audits = await Promise.all(lanes.map(walk));
    const kills = (await Promise.all(lanes.map((lane) => lane.kills()))).flat();
    const count = (...names: (keyof LaneFindings)[]) =>
      audits.reduce((sum, audit) => sum + names.reduce((all, name) => all + audit[name].length, 0), 0);
    process.stdout.write(
      `reliability 1: ${kills.length} kills at ${new Set(kills).size} points, ${count('lost', 'unlike')} lost, ` +
        `${count('doubled', 'books', 'money')} doubled, ${count('stuck', 'left')} stuck, ${count('gaps', 'faults')} gaps\n`,
    );
    for (const audit of audits) expect(audit).toEqual(noFindings);
    // A busy worker commits fewer, larger batches, so not every order is reached; without any, nothing was tried.
    expect(kills.length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
