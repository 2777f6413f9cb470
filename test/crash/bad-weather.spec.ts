/**
 * A cluster's bad day: whatever the event store does to its clients, journeys end exactly once, and callers see no
 * error other than 503 `retryable`.
 */
import { KillLane, noFindings, type Round } from './kill-lane';

const full = process.env['FIGURES'] === 'full';
const SEEDS = Number(process.env['WEATHER_SEEDS'] ?? (full ? 10 : 1));
const ROUNDS = Number(process.env['WEATHER_ROUNDS'] ?? (full ? 6 : 2));
const TIMEOUT_MS = 300_000 + ROUNDS * 180_000;

let lane: KillLane;
afterEach(() => lane.stop());

/** In every second journey a worker is killed, too. */
function rounds(): Round[] {
  const dies = { first: { point: 'append:after', nth: 12 }, second: null } as const;
  return Array.from({ length: ROUNDS }, (_, seed) => ({ seed, deaths: seed % 2 === 1 ? { worker: dies } : {} }));
}

test.each(Array.from({ length: SEEDS }, (_, seed) => `${seed}`))(
  'everything comes to its end once in the weather of seed %s',
  async (seed) => {
    lane = await KillLane.start(2, seed);
    for (const round of rounds()) await lane.round(round);
    const strikes = lane.weather();
    const audit = await lane.audit();
    const struck = Object.entries(strikes).map(([strike, count]) => `${count} × ${strike}`);
    process.stdout.write(
      `bad weather: seed ${seed} (10 seeds with FIGURES=full), ${ROUNDS} journeys (6), ${(await lane.kills()).length} kills, ` +
        `${struck.join(', ')}; ${Object.values(audit).flat().length} findings\n`,
    );
    expect(audit).toEqual(noFindings);
    expect(Object.keys(strikes).length).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
