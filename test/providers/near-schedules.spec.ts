/**
 * The outcome decider on the whole adapter over seeded schedules, against the strict double, and against the verifier
 * contract's own WebAssembly if VERIFIER_WASM names it: nothing is paid twice, nothing that was given up is executed
 * later, and nothing is forgotten. To replay a failing seed: SEED=123 npx jest test/providers/near-schedules; to set
 * the number of schedules: SCHEDULES=300
 */
import { Logger } from '@nestjs/common';
import { chains } from '../chain/chains';
import { NearSchedule } from './near-schedule';
import type { NearUnderTest } from './near-provider';

const full = process.env['FIGURES'] === 'full';
const only = process.env['SEED'] === undefined ? null : Number(process.env['SEED']);
const wanted = process.env['SCHEDULES'] === undefined ? null : Number(process.env['SCHEDULES']);
const TIMEOUT_MS = full || wanted !== null ? 5_400_000 : 170_000;

beforeAll(() => Logger.overrideLogger(false));
afterAll(() => Logger.overrideLogger(true));

describe.each(chains)('$name', ({ name, isContract, start }) => {
  const SCHEDULES = wanted ?? (full ? 10_000 : isContract ? 10 : 30);
  let near: NearUnderTest;
  beforeAll(async () => void (near = await start()));
  afterAll(() => near.stop());

  test(
    'a withdrawal is paid once or never, no matter who brings its bytes to the chain and what the relay says',
    async () => {
      const totals = new Map<string, number>();
      const count = (what: string, by = 1): void => void totals.set(what, (totals.get(what) ?? 0) + by);
      const seeds = only === null ? Array.from({ length: SCHEDULES }, (_, seed) => seed) : [only];
      for (const seed of seeds) {
        const schedule = new NearSchedule(near, seed);
        await schedule.play();
        if (only !== null)
          process.stdout.write(
            JSON.stringify(schedule.events.slice(1).map((e) => ({ ...e, submission: undefined }))) + '\n',
          );
        expect({ seed, wrongs: await schedule.wrongs() }).toEqual({ seed, wrongs: [] });
        count(`operations ${schedule.state?.status}`);
        for (const [what, times] of Object.entries(schedule.counts)) count(what, times);
        for (const { type } of schedule.events) count(type);
      }
      await near.audit();
      for (const happened of ['submission.refused', 'revocation.journaled', 'strangers', 'operations settled'])
        if (only === null) expect([happened, totals.get(happened) ?? 0]).not.toEqual([happened, 0]);
      const line = [...totals].map(([what, times]) => `${what} ${times}`).sort();
      process.stdout.write(
        `near: ${name}, ${seeds.length} schedules (10,000 with FIGURES=full), 0 paid twice, 0 executed after giving up; ${line.join(', ')}\n`,
      );
    },
    TIMEOUT_MS,
  );
});
