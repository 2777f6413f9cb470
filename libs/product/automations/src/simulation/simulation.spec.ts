import { instantOf, type Instant } from '@app/kernel';
import type { AutomationDefinition, FiringPolicy } from '../definition/automation-definition';
import type { Condition } from '../condition/condition';
import type { InputSource } from '../inputs/input.stream';
import type { RecordedInput } from '../inputs/input.row';
import { looksBetween, simulateLook, unsimulated, type Simulated, type SimulatedLook } from './simulation';
import type { SampleHistory } from '../sources/source-sample';

const minute = (count: number): Instant => instantOf(Date.UTC(2026, 0, 1) + count * 60_000);
const firing: FiringPolicy = { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 900 };
const cheap: Condition = {
  bindings: [
    { name: 'near', source: { kind: 'token_price', tokenId: 't' }, maxAgeSeconds: 120 },
    { name: 'event', source: { kind: 'event' }, maxAgeSeconds: 60 },
  ],
  rule: { compare: { left: { binding: 'near', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
};
const rule: AutomationDefinition = {
  name: 'n',
  prompt: 'p',
  conversation: 'new',
  condition: cheap,
  firing,
  wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
};
/** One price per minute; null where the sampler had none. */
const pricesOf = (prices: readonly (string | null)[]): SampleHistory => ({
  near: prices.flatMap((priceUsd, index) =>
    priceUsd === null ? [] : [{ at: minute(index), status: 'ready', value: { priceUsd }, reason: null }],
  ),
});
const due = (count: number): SimulatedLook => ({ at: minute(count), trigger: 'schedule', event: null });
const handed = (count: number, trigger: InputSource, type = 'a'): SimulatedLook => ({
  at: minute(count),
  trigger,
  event: { id: 'e', type, occurredAt: minute(count), data: {} },
});
const simulate = (
  looks: readonly SimulatedLook[],
  change: Partial<AutomationDefinition> = {},
  history: SampleHistory = {},
): Simulated => looks.reduce((all, look) => simulateLook(all, { ...rule, ...change }, history, look), unsimulated);
const outcomes = ({ fired }: Simulated) => fired.map(({ at, wouldBe }) => [(Date.parse(at) / 60_000) % 1440, wouldBe]);
const count = (length: number): readonly SimulatedLook[] => Array.from({ length }, (_, index) => due(index));

it('fires what matches, counts what does, and says what could not be read', () => {
  const result = simulate(count(8), {}, pricesOf(['1.9', '2', '1', null, null, null, null, '1']));
  expect(outcomes(result)).toEqual([
    [0, 'fired'],
    [2, 'fired'],
    [3, 'fired'],
    [4, 'fired'],
    [7, 'fired'],
  ]);
  expect(result).toMatchObject({
    evaluated: 8,
    matched: 5,
    unknown: 2,
    truncated: false,
    unresolved: [{ code: 'gap', binding: 'near', looks: 2 }],
  });
});

it('fires at edges, once, within limits, and not while it cools down', () => {
  const prices = pricesOf(['1', '1', '3', '1', '1', '3', '1']);
  const looks = count(7);
  const policy = (change: Partial<FiringPolicy>) =>
    outcomes(simulate(looks, { firing: { ...firing, ...change } }, prices));
  expect(policy({ trigger: 'edge' })).toEqual([
    [0, 'fired'],
    [3, 'fired'],
    [6, 'fired'],
  ]);
  expect(policy({ trigger: 'once' })).toEqual([[0, 'fired']]);
  expect(policy({ trigger: 'edge', cooldownSeconds: 240 })).toEqual([
    [0, 'fired'],
    [3, 'cooldown'],
    [6, 'fired'],
  ]);
  expect(policy({ trigger: 'edge', maxOccurrences: 2 })).toEqual([
    [0, 'fired'],
    [3, 'fired'],
    [6, 'limit'],
  ]);
  expect(policy({ trigger: 'edge', endAt: minute(3) })).toEqual([
    [0, 'fired'],
    [3, 'limit'],
    [6, 'limit'],
  ]);
});

it('looks at signals and at awaited events; an invocation bypasses the rule, not its limits', () => {
  const free = { condition: null };
  expect(simulate([handed(1, 'signal'), handed(2, 'webhook')], free).fired).toMatchObject([{ trigger: 'signal' }]);
  const awaiting = { ...free, wake: { kind: 'event', types: ['a'] } } as const;
  expect(simulate([handed(1, 'webhook'), handed(2, 'webhook', 'b')], awaiting).evaluated).toBe(1);

  const invoked = simulate([handed(1, 'invoke'), due(2)], { ...free, firing: { ...firing, cooldownSeconds: 120 } });
  expect([outcomes(invoked), invoked.evaluated]).toEqual([
    [
      [1, 'fired'],
      [2, 'cooldown'],
    ],
    1,
  ]);
  const twice = [handed(1, 'invoke'), handed(2, 'invoke')];
  expect(outcomes(simulate(twice, { firing: { ...firing, maxOccurrences: 1 } }))).toEqual([
    [1, 'fired'],
    [2, 'limit'],
  ]);
  const once = { ...free, firing: { ...firing, trigger: 'once' } } as const;
  expect(outcomes(simulate([handed(1, 'invoke'), due(2), handed(3, 'invoke')], once))).toEqual([
    [1, 'fired'],
    [2, 'fired'],
    [3, 'limit'],
  ]);
});

it('tells of 500 firings, and that there were more', () => {
  const free = { condition: null };
  expect(simulate(count(500), free)).toMatchObject({ matched: 500, truncated: false });
  const more = simulate(count(501), free);
  expect([more.matched, more.fired.length, more.truncated]).toEqual([501, 500, true]);
  expect(more.fired.at(-1)?.at).toBe(minute(499));
});

describe('the looks of a span', () => {
  const signal = (count_: number): RecordedInput => {
    const event = { id: 'e', type: 'signal', occurredAt: minute(count_), data: {} };
    return { at: minute(count_), position: count_, source: 'signal', event };
  };
  async function* recorded(...all: readonly RecordedInput[]): AsyncGenerator<RecordedInput> {
    yield* all;
  }
  const looksOf = async (wake: AutomationDefinition['wake'], ...inputs: readonly RecordedInput[]) => {
    const found: (readonly [number, string])[] = [];
    const automation = { definition: { ...rule, wake }, epochAt: minute(1) };
    for await (const { at, trigger } of looksBetween(automation, minute(0), minute(3), recorded(...inputs)))
      found.push([(Date.parse(at) / 60_000) % 1440, trigger]);
    return found;
  };

  it('are its due times and its inputs, in their order, the due time first', async () => {
    expect(await looksOf(rule.wake, signal(0.5), signal(2))).toEqual([
      [0.5, 'signal'],
      [1, 'schedule'],
      [2, 'schedule'],
      [2, 'signal'],
      [3, 'schedule'],
    ]);
    expect(await looksOf({ kind: 'event', types: ['a'] }, signal(2))).toEqual([[2, 'signal']]);
  });

  it('end with the last due time of all', async () => {
    const once = { kind: 'schedule', schedule: { kind: 'once', at: minute(2) } } as const;
    expect(await looksOf(once, signal(1), signal(2.5))).toEqual([
      [1, 'signal'],
      [2, 'schedule'],
    ]);
  });
});
