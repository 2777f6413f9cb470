import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const runMs = 170_000;
const kinds = ['approval', 'automation', 'chat', 'list', 'stream', 'all'];

/**
 * Checks that the load runs, and that everything acknowledged was done. No test fails by its speed. Needs a build, as
 * `npm test` makes one.
 */
it(
  'drives a short day, and audits it',
  async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [join(__dirname, 'main.mjs'), '--quick'], {
      timeout: runMs,
    });
    const [, report = ''] = stdout.split('audit ...');
    const rows = report.split('\n').filter((line) => /^\| [a-z]+ /.test(line) && !line.startsWith('| operation'));
    const seen = rows.map((row) => row.split('|')[1]?.trim() ?? '');
    expect(kinds).toEqual(expect.arrayContaining(seen));
    expect(seen).toContain('all');
    expect(report).toMatch(/Verdict: 0 of \d+ operations failed/);
    expect(report).toContain('everything that was acknowledged is done, once');
  },
  runMs,
);

it('says what is wrong with its options', async () => {
  const asked = promisify(execFile)(process.execPath, [join(__dirname, 'main.mjs'), '--rate', 'fast']);
  await expect(asked).rejects.toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--rate is a number') as unknown,
  });
});
