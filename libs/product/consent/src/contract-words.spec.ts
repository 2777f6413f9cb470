import type { Contract, ContractAction, ContractBounds, Quantity, TokenChoice } from './contract';
import { quoted, words, type Words } from '@app/kernel';
import { instant } from '@app/testing/deciders';
import { hostileTexts } from '@app/testing/hostile-texts';
import { contractWords, type ContractRule } from './contract-words';

const pinned = (tokenId: string, decimals: number): TokenChoice => ({ pinned: { tokenId, decimals } });
const usdc = pinned('nep141:usdc', 6);
const near = pinned('nep141:wrap.near', 24);
const any: TokenChoice = { any: true };
const symbols: Record<string, string> = { 'nep141:usdc': 'USDC', 'nep141:wrap.near': 'wNEAR' };
const symbolOf = (tokenId: string) => symbols[tokenId] ?? null;

const withdraw = (quantity: Exclude<Quantity, { kind: 'exact_output_tokens' }>, input = usdc): ContractAction => ({
  kind: 'withdraw_to_owner',
  input,
  quantity,
});
const swap = (quantity: Quantity, input = usdc, output = near): ContractAction => ({
  kind: 'swap',
  input,
  output,
  quantity,
});

const tokens = { kind: 'exact_input_tokens', amountRaw: '1500000' } as const;
const usd = { kind: 'exact_input_value_usd', value: '20' } as const;
const all = { kind: 'all_of_input' } as const;
const quarter = { kind: 'fraction_of_input', bps: '2500' } as const;
const output = { kind: 'exact_output_tokens', amountRaw: `2${'0'.repeat(24)}` } as const;
const bounds: ContractBounds = {
  maxUses: 3,
  usesPerOccurrence: 2,
  perUseUsd: '5',
  totalUsd: '15',
  notAfter: instant('2026-03-01T10:00Z'),
};

const type = 'ledger_intents_transfer';
const asked = (actions: readonly ContractAction[], itsBounds?: ContractBounds, rule: ContractRule | null = null) =>
  contractWords(itsBounds === undefined ? { type, actions } : { type, actions, bounds: itsBounds }, symbolOf, rule);
const summary = (...actions: readonly ContractAction[]) => asked(actions)?.summary;

/** The consent text as a page shows it: the summary, and below it one line for each term. */
function page(shown: ReturnType<typeof contractWords>): readonly string[] {
  return shown === null ? [] : [shown.summary, ...shown.terms.map(({ name, text }) => `${name}: ${text}`)];
}

describe('what a user is asked', () => {
  it('about a withdrawal', () =>
    expect(page(asked([withdraw(tokens)]))).toEqual([
      'Withdraw 1.5 USDC to your main account, once.',
      'what: Withdraw 1.5 USDC to your main account',
      'at most: 1.5 USDC',
      'how often: Once',
      'to whom: Your main account',
    ]));

  it('about a swap of what is worth $20', () =>
    expect(page(asked([swap(usd)]))).toEqual([
      'Swap $20 of USDC to wNEAR, once. What comes of it stays in your agent wallet.',
      'what: Swap $20 of USDC to wNEAR',
      'at most: $20 of USDC',
      'how often: Once',
      'to whom: Your agent wallet',
    ]));

  it('about a swap that may take all there is', () =>
    expect(page(asked([swap(output)]))).toEqual([
      'Swap at most all USDC to receive 2 wNEAR, once. What comes of it stays in your agent wallet.',
      'what: Swap at most all USDC to receive 2 wNEAR',
      'at most: All USDC',
      'how often: Once',
      'to whom: Your agent wallet',
    ]));

  it('about several actions, in their order', () =>
    expect(page(asked([swap(tokens), withdraw(all, near)]))).toEqual([
      'Swap 1.5 USDC to wNEAR, then withdraw all wNEAR to your main account, once.',
      'what: Swap 1.5 USDC to wNEAR, then withdraw all wNEAR to your main account',
      'at most: 1.5 USDC, then all wNEAR',
      'how often: Once',
      'to whom: Your agent wallet and your main account',
    ]));

  it('about the contract of a rule', () => {
    const acts = words`every day at 09:00 (UTC), if the price of wNEAR is below $2`;
    expect(
      page(
        asked([swap(tokens)], bounds, { acts, actsInShort: acts, asWhom: null, task: 'buy "NEAR"\nwhile it is cheap' }),
      ),
    ).toEqual([
      'Swap 1.5 USDC to wNEAR, for at most $5 each time and $15 in all, 3 times at most, at most 2 times each time it acts, until 2026-03-01 10:00 UTC. ' +
        'What comes of it stays in your agent wallet. ' +
        'It acts every day at 09:00 (UTC), if the price of wNEAR is below $2. ' +
        "Its task: “buy 'NEAR' while it is cheap”.",
      'what: Swap 1.5 USDC to wNEAR',
      'at most: $5 each time and $15 in all',
      'how often: 3 times at most, at most 2 times each time it acts',
      'until when: 2026-03-01 10:00 UTC',
      'when it acts: Every day at 09:00 (UTC), if the price of wNEAR is below $2',
      'to whom: Your agent wallet',
    ]);
  });
});

describe('an action in words', () => {
  it('is a withdrawal', () => {
    expect(summary(withdraw(usd))).toBe('Withdraw $20 of USDC to your main account, once.');
    expect(summary(withdraw(all))).toBe('Withdraw all USDC to your main account, once.');
    expect(summary(withdraw({ ...quarter, bps: '1' }))).toBe('Withdraw 0.01% of USDC to your main account, once.');
    expect(summary(withdraw(all, any))).toBe('Withdraw all of your most valuable token to your main account, once.');
    expect(summary(withdraw(usd, any))).toBe(
      'Withdraw $20 of your most valuable token that covers it to your main account, once.',
    );
    expect(summary(withdraw(quarter, any))).toBe(
      'Withdraw 25% of your most valuable token to your main account, once.',
    );
  });
  it('is a swap', () => {
    expect(summary(swap(output, any))).toMatch(
      /^Swap at most all of your most valuable token to receive 2 wNEAR, once\./,
    );
    expect(summary(swap(tokens, usdc, any))).toMatch(/^Swap 1\.5 USDC to your most valuable other token, once\./);
  });
  it('is bound once', () =>
    expect(asked([withdraw(tokens)], { ...bounds, maxUses: 1 })?.summary).toBe(
      'Withdraw 1.5 USDC to your main account, for at most $5 each time and $15 in all, once, until 2026-03-01 10:00 UTC.',
    ));
  it('is bound once each time the rule acts, also where a contract from before does not say so', () => {
    const { usesPerOccurrence: _, ...older } = bounds;
    for (const its of [older, { ...bounds, usesPerOccurrence: 1 }])
      expect(asked([withdraw(tokens)], its)?.summary).toBe(
        'Withdraw 1.5 USDC to your main account, for at most $5 each time and $15 in all, ' +
          '3 times at most, once each time it acts, until 2026-03-01 10:00 UTC.',
      );
  });
});

describe('a token in words', () => {
  const named = (symbol: string | null) => contractWords({ type, actions: [withdraw(all)] }, () => symbol)?.summary;
  const byId = 'Withdraw all nep141:usdc to your main account, once.';

  it.each(['USDC', 'USD₮0', '$WIF', 'USDC.e', 'a-b', 'stNEAR'])('goes by its symbol %s', (symbol) =>
    expect(named(symbol)).toBe(`Withdraw all ${symbol} to your main account, once.`),
  );
  it.each([null, '', 'USDC to eve.near', 'USDC.', 'USDC\n', 'ＵＳＤＣ', 'A'.repeat(26), 'a,b'])(
    'goes by its id when its symbol is %j',
    (symbol) => expect(named(symbol)).toBe(byId),
  );
  it('goes by its id where another has the same symbol', () =>
    expect(contractWords({ type, actions: [swap(all)] }, () => 'USDC')?.summary).toMatch(
      /^Swap all nep141:usdc to nep141:wrap\.near, once\./,
    ));
  it('has its whole id, however long', () => {
    const tokenId = `nep141:${'a'.repeat(500)}.near`;
    expect(summary(withdraw(all, pinned(tokenId, 0)))).toBe(`Withdraw all ${tokenId} to your main account, once.`);
  });
  it('is shown by both ends where all together would be too long; the terms name it whole', () => {
    const ids = ['a', 'b'].map((letter) => `nep141:${letter.repeat(400)}.near`);
    const [one, other] = ids.map((tokenId) => pinned(tokenId, 0));
    const shown = asked(Array<ContractAction>(8).fill(swap(all, one, other)));
    const [shownOne, shownOther] = ['a', 'b'].map((letter) => `“${letter.repeat(19)}…${letter.repeat(13)}.near”`);
    expect(shown?.summary).toMatch(new RegExp(`^Swap all ${shownOne} to ${shownOther}, then swap all ${shownOne} to `));
    for (const tokenId of ids) expect(shown?.terms[0]?.text.split(tokenId)).toHaveLength(9);
  });
  it('is never shown like another: then nobody is asked', () => {
    const alike = ['x', 'y'].map((letter) => pinned(`nep141:${'a'.repeat(100)}${letter}${'a'.repeat(100)}`, 0));
    expect(asked([swap(all, alike[0], alike[1])])).not.toBeNull();
    expect(asked(Array<ContractAction>(16).fill(swap(all, alike[0], alike[1])))).toBeNull();
  });
});

describe('what does not fit in', () => {
  const ruleOf = (acts: Words): ContractRule => ({
    acts,
    actsInShort: acts,
    asWhom: null,
    task: 'buy '.repeat(2000),
  });
  const contract: Contract = { type, actions: [swap(tokens)], bounds };
  it('is quoted text, which is shortened', () => {
    const text = contractWords(contract, symbolOf, ruleOf(words`every minute`))?.summary ?? '';
    expect(text).toMatch(/It acts every minute\. Its task: “(buy ){49}buy…”\.$/);
    const acts = words`when an event of type ${quoted('x'.repeat(1750), Infinity)} arrives`;
    const tight = contractWords(contract, symbolOf, ruleOf(acts))?.summary ?? '';
    expect(tight).toMatch(/ arrives\.$/);
  });
  it('is a rule that is too long: then nobody is asked', () =>
    expect(contractWords(contract, symbolOf, ruleOf(quoted('x'.repeat(2000), Infinity)))).toBeNull());
});

it.each(hostileTexts())(
  'a symbol such as %j, as a provider may write it, changes nothing of what is asked',
  (symbol) => {
    const contract = { type, actions: [swap(tokens), withdraw(usd)], bounds } as const;
    const [withSymbol, without] = [symbol, null].map((one) => contractWords(contract, () => one));
    expect(withSymbol).toEqual(without);
  },
);
