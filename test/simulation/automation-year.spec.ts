/**
 * A year of automations in four time zones, fired by the product's own process: over restarts at the worst moments, and
 * with two racing schedulers, every due time fires exactly once. A separate calendar computes the due times. A failing
 * seed replays identically: SEED=123 npx jest test/simulation/automation-year
 */
import { audited } from './automation-year-audit';
import { AutomationYear } from './automation-year';

const full = process.env['FIGURES'] === 'full';
const SEED = Number(process.env['SEED'] ?? 1);
const AUTOMATIONS = full ? 1_000 : 16;
const RESTARTS = 60;
const TIMEOUT_MS = full ? 1_800_000 : 180_000;
/** The number of errors of each kind that a failure shows. */
const shownMax = 5;

test(
  'every due time of a year fires once, whenever schedulers die and however they race',
  async () => {
    const startedMs = performance.now();
    const year = new AutomationYear(SEED, AUTOMATIONS, RESTARTS, 365);
    await year.play();
    const { twice, lost, wrong, ...figures } = audited(year);
    const tookMs = Math.round(performance.now() - startedMs);
    const { restarts, lostRaces, stalls, refusals, unavailable, steps } = year.counts;
    process.stdout.write(
      `automation year (seed ${SEED}): ${AUTOMATIONS} automations in 4 zones, ${figures.due} due times over ${restarts} restarts ` +
        `and two schedulers racing: ${figures.fired} fired once, ${figures.rejected} too late after long outages, ` +
        `${figures.passedOver} passed over there, ${twice.length} twice, ${lost.length} lost; ` +
        `at most ${figures.lateMostMs} ms late but for outages, ${year.streams.events} events, ${lostRaces} lost races, ${stalls} stalls, ${refusals} refusals, ${unavailable} unavailable, ` +
        `${steps} steps in ${tookMs} ms\n`,
    );
    expect({ twice: twice.slice(0, shownMax), lost: lost.slice(0, shownMax) }).toEqual({ twice: [], lost: [] });
    expect(wrong.slice(0, shownMax)).toEqual([]);
    expect(restarts).toBeGreaterThanOrEqual(50);
    expect(lostRaces).toBeGreaterThan(0);
    expect(figures.fired).toBeGreaterThan(0.97 * figures.due);
  },
  TIMEOUT_MS,
);

test(
  'the same seed plays the same year',
  async () => {
    const [one, other] = [new AutomationYear(SEED + 1, 5, 10, 60), new AutomationYear(SEED + 1, 5, 10, 60)];
    await one.play();
    await other.play();
    expect([other.streams.trace, other.counts]).toEqual([one.streams.trace, one.counts]);
  },
  TIMEOUT_MS,
);
