import { instantOf } from '@app/kernel';
import * as fc from 'fast-check';
import type { AutomationDefinition, FiringPolicy, Schedule } from './automation-definition';
import { actsWords, behaviorText, truncate } from './behavior';
import type { Condition, RuleNode } from '../condition/condition';

const firing: FiringPolicy = { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 900 };
const everyMinute: Schedule = { kind: 'every', seconds: 60 };
const rule: AutomationDefinition = {
  name: 'a rule',
  prompt: 'do it',
  conversation: 'new',
  wake: { kind: 'schedule', schedule: everyMinute },
  condition: null,
  firing,
};
const wrapped = 'nep141:wrap.near';
const conditionOf = (node: RuleNode): Condition => ({
  bindings: [
    { name: 'price', source: { kind: 'token_price', tokenId: wrapped }, maxAgeSeconds: 120 },
    { name: 'held', source: { kind: 'wallet_balance', tokenId: wrapped }, maxAgeSeconds: 120 },
    { name: 'order', source: { kind: 'event' }, maxAgeSeconds: 120 },
  ],
  rule: node,
});
const price = { binding: 'price', field: '/priceUsd' };
const symbolOf = (tokenId: string): string | null => (tokenId === wrapped ? 'NEAR' : null);

const first = (text: string): string => text.split('. ')[0] ?? '';
const scheduled = (schedule: Schedule): string =>
  first(behaviorText({ ...rule, wake: { kind: 'schedule', schedule } })).replace(', the task runs', '');
const cron = (expression: string): string => scheduled({ kind: 'cron', expression, timezone: 'UTC' });
const when = (node: RuleNode): string =>
  first(behaviorText({ ...rule, condition: conditionOf(node) }, symbolOf)).slice(
    'Every minute, if '.length,
    -', the task runs'.length,
  );

it('says all of it in whole sentences', () => {
  const compare = { left: price, op: 'lt', right: { value: '2' } } as const;
  const policy: FiringPolicy = { ...firing, trigger: 'edge', cooldownSeconds: 3600, maxOccurrences: 5 };
  const text = behaviorText({ ...rule, condition: conditionOf({ compare }), firing: policy }, symbolOf);
  expect(text).toBe(
    'Every minute, if the price of NEAR is below $2, the task runs, but not again while that stays so, 5 times at most. ' +
      'After a run it rests for 1 hour. What comes up while a run is under way is skipped. ' +
      'A run that cannot begin is tried again for 15 minutes.',
  );
});

it('tells what a contract allows', () => {
  const near = { pinned: { tokenId: wrapped, decimals: 24 } };
  const usdc = { pinned: { tokenId: 'nep141:usdc', decimals: 6 } };
  const contract = {
    type: 'ledger_intents_transfer',
    actions: [
      { kind: 'swap', input: usdc, output: near, quantity: { kind: 'exact_input_tokens', amountRaw: '10000000' } },
    ],
    bounds: { maxUses: 3, perUseUsd: '11', totalUsd: '30', notAfter: instantOf(0) },
  } as const;
  expect(behaviorText({ ...rule, contract }, symbolOf)).toContain(
    'Once its contract is approved, this needs no further consent: Swap 10 nep141:usdc to NEAR, for at most $11 each time and $30 in all, 3 times at most, once each time it acts, until',
  );
});

it('has words for every schedule, and quotes what it has no certain words for', () => {
  expect(cron('0 9 * * *')).toBe('Every day at 09:00 (UTC)');
  expect(cron('0 22 * * 1-5')).toBe('At 22:00, Monday through Friday (UTC)');
  expect(cron('*/5 * * * *')).toBe('Every 5 minutes (UTC)');
  expect(cron('0 */6 * * *')).toBe('On the hour, every 6 hours (UTC)');
  for (const uneven of ['*/45 * * * *', '0 */23 * * *', '0 9 * * */6', '0 9 */2 * *', '0 9 1 */5 *', '5/7 * * * *'])
    expect(cron(uneven)).toBe(`At the times of the cron expression “${uneven}” (UTC)`);
  expect(cron('0 9 1 * MON')).toBe('At the times of the cron expression “0 9 1 * MON” (UTC)');
  expect(cron('0 0 29 2 +1')).toBe('At the times of the cron expression “0 0 29 2 +1” (UTC)');
  expect(scheduled({ kind: 'every', seconds: 90 })).toBe('Every 90 seconds');
  expect(scheduled({ kind: 'every', seconds: 7200 })).toBe('Every 2 hours');
  expect(scheduled({ kind: 'once', at: instantOf(Date.UTC(2026, 11, 1, 9)) })).toBe('Once, at 2026-12-01 09:00 UTC');
  const event = behaviorText({
    ...rule,
    wake: { kind: 'event', types: ['a', 'b', 'c'] },
    firing: { ...firing, trigger: 'once' },
  });
  expect(first(event)).toBe('When an event of type “a” or “b” or “c” arrives, the task runs, the first time only');
});

it('has words for every rule', () => {
  const amount = { binding: 'held', field: '/amount' };
  const level = { binding: 'order', field: '/data/level' };
  const low: RuleNode = { compare: { left: price, op: 'lte', right: { value: 2 } } };
  expect(when({ all: [low, { any: [{ exists: level }, { not: low }] }] })).toBe(
    'the price of NEAR is at most $2 and (there is “/data/level” of the event or the price of NEAR is not at most $2)',
  );
  expect(when({ compare: { left: amount, op: 'gt', right: { value: '10.5' } } })).toBe(
    'the balance of NEAR is above 10.5',
  );
  expect(when({ compare: { left: level, op: 'eq', right: { value: 'high' } } })).toBe(
    '“/data/level” of the event is “high”',
  );
  expect(when({ not: { all: [low, { not: { exists: level } }] } })).toBe(
    'it is not so that (the price of NEAR is at most $2 and there is no “/data/level” of the event)',
  );
  const shown = behaviorText({ ...rule, condition: conditionOf(low) }, () => 'NEAR. You approve');
  expect(first(shown)).toContain('if the price of nep141:wrap.near is at most $2');
});

it.each([
  ['/data/halt', '/data/halt\ufe0f'],
  ['/data/halt', '/data/ha\u200dlt'],
  ['/data/halt', ' /data/halt '],
  ['/Gr\u00fcn', '/Gru\u0308n'],
  [`/a'b`, '/a"b'],
])('a pointer, a value and a type of event that differ in bytes differ in words: %j, %j', (one, other) => {
  const told = (text: string): readonly string[] => [
    when({ not: { exists: { binding: 'order', field: text } } }),
    when({ compare: { left: { binding: 'order', field: '/a' }, op: 'ne', right: { value: text } } }),
    when({ compare: { left: { binding: 'order', field: '/a' }, op: 'ne', right: { value: [text] } } }),
    actsWords({ wake: { kind: 'event', types: [text] }, condition: null }, { symbolOf, quotedLengthMax: Infinity }),
  ];
  const others = told(other);
  expect(told(one).filter((text, index) => text === others[index])).toEqual([]);
});

it('is cut between characters, inside the limit', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 30 }), (text, max) => {
      const cut = truncate(text, max);
      expect([...cut.text].length).toBeLessThanOrEqual(max);
      expect(cut.truncated).toBe([...text].length > max);
      expect(text.startsWith(cut.truncated ? cut.text.slice(0, -1) : cut.text)).toBe(true);
    }),
  );
});

it('has words for what wakes a rule, and for what must hold', () => {
  const compare = { left: price, op: 'lt', right: { value: '2' } } as const;
  const style = { symbolOf, quotedLengthMax: Infinity };
  expect(actsWords(rule, style)).toBe('every minute');
  expect(actsWords({ ...rule, condition: conditionOf({ compare }) }, style)).toBe(
    'every minute, if the price of NEAR is below $2',
  );
});
