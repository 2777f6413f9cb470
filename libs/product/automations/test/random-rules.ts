import { asId, instantOf, type InputId, type Instant, type JsonObject } from '@app/kernel';
import fc from 'fast-check';
import type { AutomationDefinition, FiringPolicy, Wake } from '../src/definition/automation-definition';
import type { Condition, Operand, RuleNode } from '../src/condition/condition';
import type { InboundEvent, InputRecorded } from '../src/inputs/input.stream';
import { gapAfter, gapAfterMs, type Sample, type SampleHistory } from '../src/sources/source-sample';
import { ada } from './automation-facts';
import { automationId, epoch } from './live-rule';

/** Two hours in every life, on a day when the clocks of Europe change within them. */
const beginMs = Date.UTC(2026, 2, 29, 0, 0);
export const minutesLong = 120;
const minuteMs = 60_000;

export function after(ms: number): Instant {
  return instantOf(beginMs + ms);
}

/** A rule, and all samples and inputs of its life. */
export interface Life {
  readonly definition: AutomationDefinition;
  readonly history: SampleHistory;
  readonly inputs: readonly InputRecorded[];
  /** How late each handling is, one after the other. */
  readonly lateMs: readonly number[];
}

const moments = fc.integer({ min: 1, max: minutesLong * minuteMs });

const wakes: fc.Arbitrary<Wake> = fc
  .oneof(
    { weight: 3, arbitrary: fc.constantFrom(60, 60, 90, 300).map((seconds) => ({ kind: 'every', seconds }) as const) },
    fc
      .record({
        expression: fc.constantFrom('* * * * *', '*/5 * * * *', '0,30 2-3 * * *', '7 * * * 0', '0 0 1 1 *'),
        timezone: fc.constantFrom('Europe/Berlin', 'UTC', 'America/New_York', 'Australia/Lord_Howe'),
      })
      .map((members) => ({ kind: 'cron', ...members }) as const),
    moments.map((ms) => ({ kind: 'once', at: after(ms) }) as const),
  )
  .chain((schedule): fc.Arbitrary<Wake> => {
    const event = { kind: 'event', types: ['a'] } as const;
    return fc.constantFrom<Wake>({ kind: 'schedule', schedule }, { kind: 'schedule', schedule }, event);
  });

/** Few values, so that rules match now and then. */
const values = fc.constantFrom('1', '1.90', '2', '2.5', '3');
const operands: fc.Arbitrary<Operand> = fc.constantFrom(
  { binding: 'price', field: '/priceUsd' },
  { binding: 'price', field: '/priceUsd' },
  { binding: 'balance', field: '/amount' },
  { binding: 'event', field: '/data/level' },
  { binding: 'price', field: '/none' },
);
const leaves: fc.Arbitrary<RuleNode> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .record({ left: operands, op: fc.constantFrom('lt', 'gte', 'eq'), right: values.map((value) => ({ value })) })
      .map((compare) => ({ compare })),
  },
  operands.map((exists) => ({ exists })),
);
const rules: fc.Arbitrary<RuleNode> = fc.oneof(
  { weight: 3, arbitrary: leaves },
  fc.array(leaves, { minLength: 2, maxLength: 3 }).map((all) => ({ all })),
  fc.array(leaves, { minLength: 2, maxLength: 3 }).map((any) => ({ any })),
  leaves.map((not) => ({ not })),
);
const ages = fc.constantFrom(30, 60, 120, 3600);
const conditions: fc.Arbitrary<Condition> = fc
  .record({ rule: rules, price: ages, balance: ages, event: ages, skewSeconds: fc.constantFrom(undefined, 0, 60) })
  .map(({ rule, price, balance, event, skewSeconds }) => ({
    bindings: [
      { name: 'price', source: { kind: 'token_price', tokenId: 'nep141:t' }, maxAgeSeconds: price },
      { name: 'balance', source: { kind: 'wallet_balance', tokenId: 'nep141:t' }, maxAgeSeconds: balance },
      { name: 'event', source: { kind: 'event' }, maxAgeSeconds: event },
    ],
    rule,
    ...(skewSeconds !== undefined && { skewSeconds }),
  }));

const policies: fc.Arbitrary<FiringPolicy> = fc
  .record({
    trigger: fc.constantFrom('match', 'edge', 'edge', 'once'),
    cooldownSeconds: fc.constantFrom(0, 0, 60, 61, 600),
    overlap: fc.constantFrom('skip', 'coalesce', 'queue'),
    retryForSeconds: fc.constantFrom(0, 900),
    maxOccurrences: fc.constantFrom(undefined, undefined, 1, 3),
    endAt: fc.option(moments.map(after), { nil: undefined, freq: 3 }),
  })
  .map(({ maxOccurrences, endAt, ...policy }) => ({
    ...policy,
    ...(maxOccurrences !== undefined && { maxOccurrences }),
    ...(endAt !== undefined && { endAt }),
  }));

/**
 * The result of the sampler for each minute: a value, an unavailable provider, or (the sampler itself is down) nothing.
 */
function samplesOf(valueOf: (value: string) => JsonObject): fc.Arbitrary<readonly Sample[]> {
  const ready = values.map((value) => ({ status: 'ready', value: valueOf(value), reason: null }) as const);
  const away = fc.constant({ status: 'unavailable', value: null, reason: 'away' } as const);
  const spells = fc.record({
    minutes: fc.integer({ min: 1, max: 12 }),
    what: fc.oneof({ weight: 5, arbitrary: ready }, away, fc.constant(null)),
  });
  const pins = fc.array(fc.tuple(moments, ready), { maxLength: 3 });
  return fc.tuple(fc.array(spells, { minLength: 8, maxLength: 40 }), pins).map(([all, pinned]) => {
    const minutes = all.flatMap(({ minutes: count, what }) => Array.from({ length: count }, () => what));
    const grid = minutes.map((what, minute) => (what === null ? [] : [{ at: after(minute * minuteMs), ...what }]));
    const found = [...grid.flat(), ...pinned.map(([ms, what]) => ({ at: after(ms), ...what }))];
    const inOrder = found.sort((one, other) => (one.at < other.at ? -1 : 1));
    return withGaps(inOrder.filter(({ at }, index) => inOrder[index - 1]?.at !== at));
  });
}

/** A recovered sampler records its gap in the table. */
function withGaps(samples: readonly Sample[]): readonly Sample[] {
  return samples.flatMap((sample, index) => {
    const before = samples[index - 1];
    const missed = before !== undefined && Date.parse(sample.at) - Date.parse(before.at) > gapAfterMs + 1;
    return missed ? [gapAfter(before.at), sample] : [sample];
  });
}

const inputs: fc.Arbitrary<readonly InputRecorded[]> = fc
  .array(
    fc.record({
      ms: moments,
      source: fc.constantFrom('signal', 'webhook', 'webhook', 'invoke'),
      type: fc.constantFrom('a', 'a', 'b'),
      data: fc.oneof(
        values.map((level) => ({ level })),
        fc.constant({}),
      ),
      aheadMs: fc.constantFrom(0, 0, -40_000, 90_000),
    }),
    { maxLength: 20 },
  )
  .map((all) => {
    const inOrder = [...all].sort((one, other) => one.ms - other.ms);
    return inOrder.map(({ ms, source, type, data, aheadMs }, index): InputRecorded => {
      const event: InboundEvent = { id: `e${index}`, type, occurredAt: after(ms + aheadMs), data };
      const inputId = asId<InputId>(`0b7a3b7e-0000-5000-8000-${String(index).padStart(12, '0')}`);
      return { type: 'input.recorded', at: after(ms), inputId, automationId, userId: ada, source, epoch, event };
    });
  });

export const lives: fc.Arbitrary<Life> = fc
  .record({
    wake: wakes,
    condition: fc.option(conditions, { freq: 8 }),
    firing: policies,
    price: samplesOf((priceUsd) => ({ tokenId: 'nep141:t', priceUsd })),
    balance: samplesOf((amount) => ({ tokenId: 'nep141:t', amountRaw: '1', amount, valueUsd: amount })),
    inputs,
    lateMs: fc.array(fc.constantFrom(0, 3, 250, 2000, 29_000), { minLength: 1, maxLength: 8 }),
  })
  .map(({ wake, condition, firing, price, balance, ...rest }) => ({
    definition: { name: 'n', prompt: 'p', conversation: 'new', wake, condition, firing },
    history: { price, balance },
    ...rest,
  }));
