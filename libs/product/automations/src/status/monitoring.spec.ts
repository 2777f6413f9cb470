import type { Instant } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import type { AutomationCheck } from './automation-checks';
import type { AutomationDefinition, Wake } from '../definition/automation-definition';
import type { UnresolvedCode } from '../condition/condition';
import { monitoringOf, type Monitoring } from './monitoring';

const epochAt = instant('2026-05-05T10:00Z');
const everyHour: Wake = { kind: 'schedule', schedule: { kind: 'every', seconds: 3600 } };
const byEvents: Wake = { kind: 'event', types: ['order.placed'] };

const definitionOf = (wake: Wake): AutomationDefinition => ({
  name: 'Look',
  prompt: 'look',
  conversation: 'new',
  wake,
  condition: {
    bindings: [
      { name: 'near', source: { kind: 'token_price', tokenId: 'nep141:wrap.near' }, maxAgeSeconds: 60 },
      { name: 'order', source: { kind: 'event' }, maxAgeSeconds: 60 },
    ],
    rule: { exists: { binding: 'near', field: '/priceUsd' } },
  },
  firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 0 },
});
const enabled = {
  state: 'enabled',
  held: false,
  completed: false,
  occurrences: 0,
  epochAt,
  definition: definitionOf(everyHour),
} as const;

const checkAt = (at: string, change: Partial<AutomationCheck> = {}): AutomationCheck => ({
  at: instant(at),
  epoch: 'epoch',
  condition: 'matched',
  facts: [],
  omittedFacts: 0,
  reasons: [],
  ...change,
});
const unknown = (...reasons: readonly (readonly [UnresolvedCode, string])[]) =>
  checkAt('2026-05-05T11:00Z', {
    condition: 'unknown',
    reasons: reasons.map(([code, binding]) => ({ nodePath: [], code, binding })),
  });
const noon = instant('2026-05-05T12:00Z');
const until = (endAt: Instant): AutomationDefinition => {
  const definition = definitionOf(everyHour);
  return { ...definition, firing: { ...definition.firing, endAt } };
};
const healthy = checkAt('2026-05-05T11:00Z');

describe('monitoring', () => {
  it.each<[string, Parameters<typeof monitoringOf>[0], AutomationCheck | null, Monitoring]>([
    ['archived', { ...enabled, state: 'archived', held: true }, null, 'completed'],
    ['finished, and held', { ...enabled, completed: true, held: true }, unknown(['gap', 'near']), 'completed'],
    ['held', { ...enabled, held: true }, healthy, 'paused'],
    ['paused', { ...enabled, state: 'paused' }, null, 'paused'],
    ['never looked at', enabled, null, 'waiting'],
    ['looked at', enabled, healthy, 'healthy'],
    ['false at the last look', enabled, { ...healthy, condition: 'not_matched' }, 'healthy'],
    ['of a provider that is away', enabled, unknown(['unavailable', 'near']), 'unavailable'],
    ['missing samples', enabled, unknown(['missing_field', 'order'], ['gap', 'near']), 'unavailable'],
    [
      'too old, beside a provider that is away',
      enabled,
      unknown(['stale', 'near'], ['unavailable', 'near']),
      'unavailable',
    ],
    ['too old', enabled, unknown(['stale', 'near']), 'stale'],
    ['without an event', enabled, unknown(['missing_source', 'order']), 'unavailable'],
    ['undecidable for reasons of its own', enabled, unknown(['invalid_value', 'near']), 'unavailable'],
    ['at its end', { ...enabled, definition: until(noon) }, healthy, 'completed'],
    ['never looked at, and overdue', enabled, null, 'waiting'],
  ])('of one that is %s', (_, automation, check, expected) => {
    const { monitoring, issue } = monitoringOf(automation, check, noon);
    expect(monitoring).toBe(expected);
    expect(issue === null).toBe(['healthy', 'waiting', 'paused', 'completed'].includes(expected));
  });

  it('is stale once a check is overdue by more than twice its interval', () => {
    const at = (text: string) => monitoringOf(enabled, healthy, instant(text)).monitoring;
    expect(at('2026-05-05T14:00Z')).toBe('healthy');
    expect(at('2026-05-05T14:00:00.001Z')).toBe('stale');
    const woken = { ...enabled, definition: definitionOf(byEvents) };
    expect(monitoringOf(woken, healthy, instant('2027-01-01T00:00Z')).monitoring).toBe('healthy');
  });
});
