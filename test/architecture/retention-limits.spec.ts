/** The table of limits in docs/privacy.md says what the code does. */
import { readConfiguration } from '@app/settings';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const textOf = (path: string) => readFileSync(join(__dirname, '..', '..', path), 'utf8');
/** The number of days that a constant of a source file is. */
const daysIn = (path: string, constant: string) =>
  new RegExp(`const ${constant} = (\\d+) \\* 86_400_000;`).exec(textOf(path))?.[1];
const deliveries = 'libs/product/webhooks/src/delivery/delivery-tables.ts';
const page = textOf('docs/privacy.md');
const [, section = ''] = page.split('## How long things are kept');
const rows = (section.split('\n## ')[0] ?? '')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| kind') && !line.startsWith('| ---'))
  .map((line) => line.split('|').map((cell) => cell.trim()));
const defaultOf = (kind: string) => rows.find((cells) => cells[1] === kind)?.[4];

it.each([
  ['deliveries of webhooks that arrived', deliveries, 'deliveredKeptMs'],
  ['deliveries that were given up or canceled', deliveries, 'finishedKeptMs'],
  ['samples of prices and balances', 'libs/product/automations/src/sources/sampler.ts', 'keptMs'],
])('%s are kept as long as the table says', (kind, path, constant) => {
  expect(defaultOf(kind)).toBe(`${daysIn(path, constant)} days`);
});

it('each variable of the table is one of the configuration, with that default', () => {
  const { env } = readConfiguration({ RETENTION_ARCHIVED_DAYS: '7' });
  const named = rows.map((cells) => cells[3] ?? '').filter((cell) => cell !== '');
  expect(named).toEqual(['`RETENTION_ARCHIVED_DAYS`']);
  expect(env.RETENTION_ARCHIVED_DAYS).toBe(7);
  expect(readConfiguration({}).env.RETENTION_ARCHIVED_DAYS).toBeUndefined();
  expect(defaultOf('words and files of an archived conversation')).toBe('unset: for ever');
});
