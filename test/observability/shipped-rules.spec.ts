/** What is shipped for operators holds together: rules that Prometheus takes, and a page of the runbook for each alert. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { debianProgram, installedWithinMs } from '@app/testing/programs';
import { alertsIn, shipped, shippedFolder } from './shipped-prometheus';

const run = promisify(execFile);

let rules: string;
beforeAll(async () => (rules = await shipped('alerts.yaml')));

async function promtool(...args: readonly string[]): Promise<void> {
  await run(join(dirname(await debianProgram('prometheus')), 'promtool'), [...args]);
}

describe('docker/alerts.yaml', () => {
  it(
    'is taken by promtool, and the configuration that names it',
    async () => {
      await promtool('check', 'config', join(shippedFolder, 'prometheus.yaml'));
    },
    installedWithinMs,
  );

  it('has a page of the runbook for each alert, with all of its parts, and no other page', async () => {
    const runbook = await readFile(join(shippedFolder, '..', 'docs', 'runbook.md'), 'utf8');
    const pages = runbook.split(/^## /m).slice(1);
    expect(pages.map((page) => page.split('\n')[0])).toEqual(expect.arrayContaining(alertsIn(rules)));
    expect(pages).toHaveLength(alertsIn(rules).length);
    for (const page of pages)
      expect(page.match(/^- \*\*\w+\*\*/gm)).toEqual(['Users', 'Look', 'Do', 'Over'].map((part) => `- **${part}**`));
    const linked = [...rules.matchAll(/runbook: docs\/runbook\.md#(\w+)/g)].map(([, anchor]) => anchor);
    expect(linked).toEqual(alertsIn(rules).map((name) => name.toLowerCase()));
  });
});
