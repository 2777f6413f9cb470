import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const full = process.env['FIGURES'] === 'full';
const MIB = 1024 * 1024;

/**
 * The memory of a process: live after a full collection, and resident, which includes memory that the engine keeps for
 * later.
 */
interface Held {
  readonly live: number;
  readonly resident: number;
}

interface Mark {
  readonly runs: number;
  readonly serving: Held;
  readonly store: Held;
}

/** At the first mark of a full run all caches are full; the few runs of the suite fill none of them. */
const MARKS = full ? [20_000, 100_000] : [400, 1_200];
const runMs = full ? 1_800_000 : 400_000;
/** Allowed growth from one mark to the other: a factor, plus bytes. */
const liveGrowth = { times: 1.2, bytes: 8 * MIB };
const residentGrowth = { times: 1.2, bytes: 32 * MIB };
/**
 * The most that a run adds to caches that are not full: its conversation's state and rows here, its events in the ring
 * there.
 */
const bytesPerRunMax = { serving: 8_000, store: 24_000 };
/** Allowance for code that is compiled during the runs, and for garbage that is not detected yet. */
const warmingBytes = 16 * MIB;

async function measure(): Promise<readonly [Mark, Mark]> {
  const args = [join(__dirname, 'run-memory.mjs'), '--marks', MARKS.join(',')];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: runMs });
  // Reason for the assertion: these are the program's own lines, one for each mark; a missing member fails below.
  const [first, last] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Mark);
  if (first === undefined || last === undefined) throw new Error(`no two marks: ${stdout}`);
  return [first, last];
}

/** Needs a build, as `npm test` makes one. */
it(
  'keeps memory flat, however many runs there were',
  async () => {
    const [first, last] = await measure();
    for (const name of ['serving', 'store'] as const) {
      const [before, after] = [first[name], last[name]];
      const mib = (bytes: number) => Math.round(bytes / MIB);
      process.stdout.write(
        `memory of ${name} after ${first.runs} and ${last.runs} runs (20000 and 100000 with FIGURES=full): live ${mib(before.live)} and ${mib(after.live)} MiB, resident ${mib(before.resident)} and ${mib(after.resident)} MiB\n`,
      );
      if (full) {
        expect(after.live).toBeLessThan(before.live * liveGrowth.times + liveGrowth.bytes);
        expect(after.resident).toBeLessThan(before.resident * residentGrowth.times + residentGrowth.bytes);
      } else {
        const mostBytes = warmingBytes + bytesPerRunMax[name] * (last.runs - first.runs);
        expect(after.live - before.live).toBeLessThan(mostBytes);
      }
    }
  },
  runMs,
);
