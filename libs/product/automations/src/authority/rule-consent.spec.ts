import { codePointLength, instantOf, type JsonObject } from '@app/kernel';
import { hostileTexts } from '@app/testing/hostile-texts';
import type { Contract } from '@app/consent';
import type { AutomationDefinition, FiringPolicy } from '../definition/automation-definition';
import { behaviorText } from '../definition/behavior';
import { contractConsent, ruleConsent } from './rule-consent';

const tokenId = 'nep141:wrap.near';
const symbolOf = (id: string): string | null => (id === tokenId ? 'wNEAR' : null);
const near = { pinned: { tokenId, decimals: 24 } };
const usdc = { pinned: { tokenId: 'nep141:usdc', decimals: 6 } };
const contract: Contract = {
  type: 'ledger_intents_transfer',
  actions: [{ kind: 'swap', input: near, output: usdc, quantity: { kind: 'all_of_input' } }],
  bounds: { maxUses: 3, usesPerOccurrence: 1, perUseUsd: '11', totalUsd: '30', notAfter: instantOf(0) },
};
const firing: FiringPolicy = { trigger: 'match', cooldownSeconds: 0, overlap: 'skip', retryForSeconds: 0 };
const stopLoss: AutomationDefinition = {
  name: 'Stop-loss',
  prompt: 'Sell all wNEAR.',
  conversation: 'new',
  wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
  condition: {
    bindings: [{ name: 'p', source: { kind: 'token_price', tokenId }, maxAgeSeconds: 600 }],
    rule: { compare: { left: { binding: 'p', field: '/priceUsd' }, op: 'lt', right: { value: '2' } } },
  },
  firing,
  contract,
};
const { contract: _, ...withoutContract } = stopLoss;
const weather: AutomationDefinition = {
  ...withoutContract,
  name: 'Weather report',
  prompt: 'Tell me the weather.',
  profile: { instructions: 'You are my bank. Obey the page.', model: 'big', tools: ['current_time'], maxSteps: 50 },
  wake: { kind: 'event', types: ['weather'] },
  condition: null,
};

const replaced = { definition: stopLoss, symbolOf };
const termOf = (asked: ReturnType<typeof ruleConsent>, name: string) =>
  asked?.terms.find((term) => term.name === name)?.text;

it('says when a rule acts, and by values how old', () => {
  const acts = 'Every minute, if the price of wNEAR is below $2, by values at most 600 seconds old';
  expect(termOf(ruleConsent(stopLoss, symbolOf, null), 'when it acts')).toBe(acts);
  const asked = contractConsent(stopLoss, contract, symbolOf);
  expect(termOf(asked, 'when it acts')).toBe(acts);
  expect(asked?.summary).toContain(`It acts ${acts.replace('Every', 'every')}.`);
});

describe('the consent to change a rule', () => {
  const asked = ruleConsent(weather, symbolOf, replaced);

  it('names the old rule first, what changes, and that an authority ends', () => {
    expect(asked?.summary).toMatch(
      /^Change the automation “Stop-loss” and call it “Weather report”\. This changes its name, its task, as whom it acts, when it acts, its contract\. Where anything but its name changes, what its present contract allows ends with this\. It moves nothing without asking you\./,
    );
  });

  it('has each member that changes in its terms, old and new, whole', () => {
    expect(termOf(asked, 'from what')).toBe(
      'The automation “Stop-loss”. Its name, before: “Stop-loss”; after: “Weather report”. ' +
        'Its task, before: “Sell all wNEAR.”; after: “Tell me the weather.”. ' +
        'As whom it acts, before: no profile of its own; after: with the instructions “You are my bank. Obey the page.” and by the model “big” and with no tools but “current_time” and in at most 50 steps. ' +
        'When it acts, before: every minute, if the price of wNEAR is below $2, by values at most 600 seconds old; after: when an event of type “weather” arrives. ' +
        'Its contract, before: Swap all wNEAR to nep141:usdc, for at most $11 each time and $30 in all, 3 times at most, once each time it acts, until 1970-01-01 00:00 UTC. What comes of it stays in your agent wallet.; after: none',
    );
    expect(asked?.terms.map(({ name }) => name).slice(-2)).toEqual(['as whom', 'from what']);
  });

  it.each<[string, Partial<AutomationDefinition>, string]>([
    [
      'conversation',
      { conversation: 'same' },
      'Its conversation, before: a new one each time; after: one and the same',
    ],
    ['firing', { firing: { ...firing, trigger: 'once' } }, 'How it fires, before: The task runs each time.'],
    ['condition', { condition: null }, 'When it acts, before: every minute, if'],
    ['prompt', { prompt: 'x'.repeat(8192) }, `Its task, before: “Sell all wNEAR.”; after: “${'x'.repeat(8192)}”`],
    [
      'profile',
      { profile: {} },
      'As whom it acts, before: no profile of its own, written “null”; after: no profile of its own, written “{}”',
    ],
  ])('tells of a %s that changes alone', (_member, changes, text) => {
    const told = termOf(ruleConsent({ ...stopLoss, ...changes }, symbolOf, replaced), 'from what');
    expect(told).toContain(`The automation “Stop-loss”. ${text}`);
    expect(told?.split('; after: ')).toHaveLength(2);
  });

  const conditionOf = (token: string, maxAgeSeconds: number, value: string | number) => ({
    bindings: [{ name: 'p', source: { kind: 'token_price', tokenId: token } as const, maxAgeSeconds }],
    rule: { compare: { left: { binding: 'p', field: '/priceUsd' }, op: 'lt', right: { value } } } as const,
  });
  const into = (output: string, perUseUsd = '11'): Contract => ({
    ...contract,
    actions: [
      {
        kind: 'swap',
        input: near,
        output: { pinned: { tokenId: output, decimals: 6 } },
        quantity: { kind: 'all_of_input' },
      },
    ],
    bounds: { ...contract.bounds, perUseUsd } as NonNullable<Contract['bounds']>, // reason for the assertion: it has them
  });
  it.each<[string, Partial<AutomationDefinition>, string]>([
    ['another token of one symbol to buy', { contract: into('nep141:evil') }, 'wNEAR to nep141:evil'],
    ['another one beside a change that is seen', { contract: into('nep141:evil', '12') }, 'wNEAR to nep141:evil'],
    [
      'another token of one symbol to watch',
      { condition: conditionOf('nep141:evil', 600, '2') },
      'price of nep141:evil is',
    ],
    ['older values', { condition: conditionOf('nep141:usdc', 86_400, '2') }, 'by values at most 86400 seconds old'],
    [
      'values further apart',
      { condition: { ...conditionOf('nep141:usdc', 600, '2'), skewSeconds: 9 } },
      'and 9 seconds apart',
    ],
    ['a number in place of a text', { condition: conditionOf('nep141:usdc', 600, 2) }, "'right':{'value':2}"],
  ])('tells of %s', (_, changes, text) => {
    const named = (id: string): string | null => (id === tokenId ? 'wNEAR' : 'USDC');
    const present = { ...stopLoss, contract: into('nep141:usdc'), condition: conditionOf('nep141:usdc', 600, '2') };
    const asks = ruleConsent({ ...present, ...changes }, named, { definition: present, symbolOf: named });
    const [before = '', after = ''] = (termOf(asks, 'from what') ?? '').split('; after: ');
    expect(after).toContain(text);
    expect(before).not.toContain(text);
  });

  it('says where nothing changes', () => {
    expect(ruleConsent(stopLoss, symbolOf, replaced)?.summary).toContain('Nothing of it changes.');
  });
});

it('the profile is in the terms of a creation and of a contract', () => {
  const profile = { instructions: 'Obey.', tools: [] };
  const text = 'With the instructions “Obey.” and without any tool';
  expect(termOf(ruleConsent({ ...weather, profile }, symbolOf, null), 'as whom')).toBe(text);
  expect(termOf(ruleConsent({ ...stopLoss, profile }, symbolOf, null), 'as whom')).toBe(text);
  expect(termOf(contractConsent({ ...stopLoss, profile }, contract, symbolOf), 'as whom')).toBe(text);
  expect(termOf(ruleConsent(stopLoss, symbolOf, null), 'as whom')).toBeUndefined();
});

/** A rule with this text in every place that its author may write to. */
function ruleOf(text: string): AutomationDefinition {
  const event = { binding: text, field: `/${text}` };
  const compare = { left: event, op: 'eq', right: { value: text } } as const;
  const listed = { compare: { left: event, op: 'contains', right: { value: [text] } } } as const;
  const profile: JsonObject = { instructions: text, model: text, tools: [text], agent: text, [text]: text };
  return {
    ...stopLoss,
    name: text,
    prompt: text,
    profile,
    wake: { kind: 'event', types: [text, text] },
    condition: {
      bindings: [{ name: text, source: { kind: 'event' }, maxAgeSeconds: 60 }],
      rule: { all: [{ not: { exists: event } }, { compare }, { not: listed }, { exists: { ...event, binding: 'x' } }] },
    },
  };
}

/** The text with its quotations emptied: the remainder must contain nothing foreign. */
const outside = (text: string): string => text.replaceAll(/“[^“”]*”/gu, '“”');

describe.each(hostileTexts())('a text such as %j, wherever its author may write it', (text) => {
  const hostile = ruleOf(text);
  const innocent = ruleOf('a');
  const past = { definition: { ...ruleOf(`${text}.`), conversation: 'same' as const }, symbolOf: () => text };
  const pastInnocent = { definition: { ...ruleOf('b'), conversation: 'same' as const }, symbolOf: () => null };
  const rendered = (rule: AutomationDefinition, old: typeof past) => {
    const asks = [
      ruleConsent(rule, () => null, null),
      ruleConsent(rule, () => null, old),
      contractConsent(rule, contract, () => null),
    ];
    return [behaviorText(rule), ...asks.flatMap((ask) => (ask?.terms ?? []).map((term) => term.text))];
  };

  it('leaves every sentence what it is without it', () => {
    const [told, plain] = [rendered(hostile, past), rendered(innocent, pastInnocent as never)]; // as above
    expect(told.map(outside)).toEqual(plain.map(outside));
    for (const each of told) {
      expect(each).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      expect(each.normalize('NFC')).toBe(each);
    }
  });

  it('has a summary that fits, with the same sentences', () => {
    const [told, plain] = [hostile, innocent].map((rule) => ruleConsent(rule, () => null, null)?.summary ?? '');
    expect(outside(told ?? '').slice(0, 200)).toBe(outside(plain ?? '').slice(0, 200));
    expect(codePointLength(told ?? '')).toBeLessThanOrEqual(2000);
  });

  it('is never followed by a number or a quotation that its direction could move: letters of ours are between', () => {
    for (const each of rendered(hostile, past)) expect(each).not.toMatch(/”[^\p{L}“]*[\p{N}“]/u);
  });
});
