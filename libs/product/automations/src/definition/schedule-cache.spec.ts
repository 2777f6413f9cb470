import { instantOf } from '@app/kernel';
import { Cron } from 'croner';
import { nextDue } from './schedule';

const at = instantOf(Date.parse('2026-05-01T00:00:00Z'));
const dueOf = (expression: string, timezone: string) => nextDue({ kind: 'cron', expression, timezone }, at, at);

it('a schedule is computed once, however its expression and its zone are spelled', () => {
  const zones = jest.spyOn(Intl, 'DateTimeFormat');
  const runs = jest.spyOn(Cron.prototype, 'nextRun');
  const first = dueOf('30 9 * jan-dec mon,WED', 'Europe/Lisbon');
  const searched = zones.mock.calls.length;
  expect(searched).toBeGreaterThan(0);
  for (const expression of ['30 9 * JAN-DEC MON,WED', ' 30\t9  * jan-dec  mon,wed '])
    for (const zone of ['Europe/Lisbon', 'europe/lisbon', 'EUROPE/LISBON']) expect(dueOf(expression, zone)).toBe(first);
  expect(new Set(runs.mock.contexts).size).toBe(1);
  expect(zones.mock.calls.length).toBe(searched);
  for (const spy of [zones, runs]) spy.mockRestore();
});
