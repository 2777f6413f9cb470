import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runMs = 180_000;

/**
 * Checks that the benchmarks run. No test fails by their speed, because that depends on the machine. Needs a build, as
 * `npm test` makes one.
 */
it(
  'measures the product beside its baselines, and says where each process spent its time',
  async () => {
    const profiles = mkdtempSync(join(tmpdir(), 'parley-bench-profiles-'));
    try {
      // The other benchmarks need packages that only `npm run bench` installs, or more time.
      const args = [join(__dirname, 'run.mjs'), '--quick', '--only', '1,4,8', '--profile', profiles];
      const { stdout } = await promisify(execFile)(process.execPath, args, { timeout: runMs });
      const rows = stdout.split('\n').filter((line) => /^\| \d+ /.test(line));
      expect(rows.map((row) => Number(row.split('|')[1]))).toEqual([1, 4, 8, 8, 17]);
      for (const row of rows) expect(row).toMatch(/\| (aim met|floor held|missed|no aim|not measured here) +\|$/);
      for (const name of ['api and worker', 'event store', 'baseline insert', 'load generator'])
        expect(stdout).toMatch(new RegExp(`^${name}: [0-9.]+ s busy in \\d+ thread`, 'm'));
    } finally {
      rmSync(profiles, { recursive: true, force: true });
    }
  },
  runMs,
);
