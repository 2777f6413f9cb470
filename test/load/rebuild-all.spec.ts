/**
 * Every read model is rebuilt by `parley projections rebuild --all --watch` while requests arrive; the process that
 * rebuilds is killed with SIGKILL three times, the command line twice. No request fails or shows anything older than
 * before; a row altered by hand is found and named. Needs a build, as `npm test` makes one.
 */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const full = process.env['FIGURES'] === 'full';
/** A million events and 200 requests a second in a full measurement. */
const size = full
  ? { events: 1_000_000, rate: 200, calm: 60, users: 40, history: 30 }
  : { events: 8_000, rate: 10, calm: 2, users: 4, history: 4 };
const runMs = full ? 3_000_000 : 900_000;
/** The largest factor by which a rebuild may slow the median request of any kind. */
const slowdownMax = 1.5;
const none = { missing: 0, extra: 0, changed: 0 };

interface Figures {
  readonly kind: string;
  readonly arrived: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
  readonly slow: number;
}

interface Stretch {
  readonly figures: readonly Figures[];
  readonly refusals: Record<string, number>;
  readonly failures: readonly string[];
  readonly older: readonly string[];
}

interface Seen {
  readonly events: number;
  readonly rebuilt: {
    readonly kills: readonly { stage: string; states: string; backMs: number }[];
    readonly seconds: number;
    readonly rebuilds: readonly { projection: string; state: string; differences: object }[];
  };
  readonly switched: number;
  readonly altered: Record<string, unknown>;
  readonly stretches: Readonly<Record<string, Stretch>>;
}

async function scenario(layout: string): Promise<Seen> {
  const options = Object.entries(size).flatMap(([name, value]) => [`--${name}`, String(value)]);
  const args = [join(__dirname, 'rebuild-all.mjs'), '--layout', layout, ...options];
  const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: runMs });
  // Reason for the assertion: this is the program's own line; a missing member fails below.
  return JSON.parse(stdout) as Seen;
}

function print(layout: string, { events, rebuilt, stretches }: Seen): void {
  const line = (text: string) => process.stdout.write(`${text}\n`);
  line(
    `${layout}: ${events} events and ${size.rate} requests/s (1000000 and 200 with FIGURES=full), rebuilt in ${rebuilt.seconds} s, ` +
      `killed ${rebuilt.kills.length} times, back after ${rebuilt.kills.map(({ backMs }) => backMs).join(', ')} ms`,
  );
  for (const [name, { figures, refusals }] of Object.entries(stretches))
    for (const { kind, arrived, refused, failed, p50, p99, max, slow } of figures)
      if (full || kind === 'all')
        line(
          `  ${name}, ${kind}: ${arrived} requests, ${failed} failed, ${refused} refused ${JSON.stringify(refusals)}; ` +
            `${p50.toFixed(1)} ms at the median, ${p99.toFixed(1)} p99, ${max.toFixed(1)} at most, ` +
            `${(slow * 100).toFixed(1)} % took over twice the median of before`,
        );
}

/**
 * The factor by which the median request of each kind was slower while everything was rebuilt, without the time around
 * kills.
 */
function slowdowns({ stretches }: Seen): Record<string, number> {
  const before = new Map(stretches['before']?.figures.map(({ kind, p50 }) => [kind, p50]));
  const meanwhile = stretches['rebuild']?.figures ?? [];
  return Object.fromEntries(
    meanwhile.flatMap(({ kind, p50 }) => {
      const calm = before.get(kind);
      return calm === undefined ? [] : [[kind, Number((p50 / calm).toFixed(2))]];
    }),
  );
}

test.each([
  { layout: 'apart', cutOff: false },
  // As with `npm start`, killing the process that rebuilds also kills the api.
  { layout: 'together', cutOff: true },
])(
  'every read model is rebuilt under load, $layout',
  async ({ layout, cutOff }) => {
    const seen = await scenario(layout);
    print(layout, seen);
    // The end of a small rebuild may be over before a poll sees it.
    expect(seen.rebuilt.kills.length).toBeGreaterThanOrEqual(full ? 3 : 2);
    for (const rebuild of seen.rebuilt.rebuilds) expect(rebuild).toMatchObject({ state: 'ready', differences: none });
    expect(seen.switched).toBe(seen.rebuilt.rebuilds.length);
    for (const [name, { failures, refusals, older }] of Object.entries(seen.stretches)) {
      expect([name, older]).toEqual([name, []]);
      if (name === 'kills' && cutOff) continue;
      expect([name, failures]).toEqual([name, []]);
      // On a machine so busy that the read models are seconds behind, a read may be refused and have to be repeated.
      if (full) expect([name, refusals]).toEqual([name, {}]);
    }
    const { key, column, was } = seen.altered;
    const named = [{ kind: 'changed', key, column, live: '4711', rebuilt: String(was) }];
    const refusals = ['409 differences_unseen', '409 differences_unseen'];
    expect(seen.altered).toMatchObject({ code: 1, named, isTold: true, refusals, switched: 200, right: was });
    const slowdown = slowdowns(seen);
    process.stdout.write(`  medians, times those of before: ${JSON.stringify(slowdown)}\n`);
    // On a machine that others use too, single requests are slow both before and during the rebuild.
    if (full) expect(Math.max(...Object.values(slowdown))).toBeLessThan(slowdownMax);
  },
  runMs,
);
