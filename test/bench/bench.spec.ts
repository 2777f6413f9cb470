import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runMs = 120_000;

/** Whether the benchmarks run; how fast anything is depends on the machine and fails no test. Needs a build, as `npm test` makes one. */
it(
  'measures the product beside its baselines',
  async () => {
    const run = join(__dirname, 'run.mjs');
    // 3 needs the packages that only `npm run bench` installs.
    const { stdout } = await promisify(execFile)(process.execPath, [run, '--quick', '--only', '1,4,8'], {
      timeout: runMs,
    });
    const rows = stdout.split('\n').filter((line) => /^\| \d+ /.test(line));
    expect(rows.map((row) => Number(row.split('|')[1]))).toEqual([1, 4, 8, 8, 17]);
    for (const row of rows) expect(row).toMatch(/\| (aim met|floor held|missed|no aim|not measured here) +\|$/);
  },
  runMs,
);
