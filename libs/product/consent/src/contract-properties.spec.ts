import { read } from '@app/schema';
import { AutomationContractShape, ContractShape } from '@app/wallets';
import fc from 'fast-check';
import {
  actions,
  amounts,
  contractBounds as bounds,
  contracts,
  jsonOf,
  placesIn,
  replaced,
  tokenIds,
  usdValues,
} from '@app/testing/properties';
import { instant } from '@app/testing/deciders';
import { unscaledAmount } from './amounts';
import type { Contract, ContractAction, Quantity, TokenChoice } from './contract';
import { contractWords } from './contract-words';
import { chooseInput, chooseOutput, inputAmount, type SpendableToken } from './quantities';
import { termNames } from './terms';

const holdings: fc.Arbitrary<SpendableToken> = fc.record({
  tokenId: tokenIds,
  decimals: fc.option(fc.integer({ min: 0, max: 38 })),
  amountRaw: amounts,
  priceUsdDecimal: fc.option(usdValues),
});

describe('every contract', () => {
  it('is read as it stands, and again from JSON', () => {
    fc.assert(
      fc.property(contracts, bounds, (contract, itsBounds) => {
        const bounded = { ...contract, bounds: itsBounds };
        expect(read(ContractShape, JSON.parse(JSON.stringify(contract)))).toEqual({
          ok: true,
          value: contract,
        });
        expect(read(AutomationContractShape, bounded)).toEqual({ ok: true, value: bounded });
      }),
    );
  });

  /** Every amount of a contract, as the text must spell it. */
  const amountsIn = ({ actions: all, bounds: its }: Contract): string[] => [
    ...all.flatMap((action) => {
      const { quantity } = action;
      const of = quantity.kind === 'exact_output_tokens' && 'output' in action ? action.output : action.input;
      if (quantity.kind === 'exact_input_value_usd') return [`$${quantity.value} of `];
      if (quantity.kind === 'fraction_of_input') return [`${unscaledAmount(quantity.bps, 2)}% of `];
      return 'amountRaw' in quantity && 'pinned' in of
        ? [`${unscaledAmount(quantity.amountRaw, of.pinned.decimals)} `]
        : ['all '];
    }),
    ...(its === undefined ? [] : [`$${its.perUseUsd} each time`, `$${its.totalUsd} in all`]),
  ];
  const symbols = fc.func(fc.option(fc.oneof(fc.string(), fc.constantFrom('USDC', 'NEAR'))));

  it('is told whole, in plain sentences of at most 2,000 characters together', () => {
    fc.assert(
      fc.property(contracts, fc.option(bounds), symbols, (contract, itsBounds, symbolOf) => {
        const given = itsBounds === null ? contract : { ...contract, bounds: itsBounds };
        const words = contractWords(given, symbolOf);
        if (words === null) return expect(tokensAlike(given)).toBe(true);
        const { summary, terms } = words;
        expect(summary).toMatch(/^(Withdraw|Swap) [ -~₮…]*[^. ]\.$/);
        expect([...summary].length).toBeLessThanOrEqual(2_000);
        expect(summary).not.toMatch(/undefined|null|NaN|\[object/);
        expect(terms.map(({ name }) => name)).toEqual(
          termNames.filter((name) => terms.some((one) => one.name === name)),
        );
        const listed = terms
          .map(({ text }) => text)
          .join('\n')
          .toLowerCase();
        for (const amount of amountsIn(given)) {
          expect(summary).toContain(amount);
          expect(listed).toContain(amount);
        }
      }),
    );
  });

  it('is told whole at its worst: 16 actions, 39 digits, tokens of 512 characters, bounds', () => {
    const tokenId = fc.string({ unit: fc.constantFrom(...'abcdefghij0123456789'), minLength: 505, maxLength: 505 });
    const tokens = fc.uniqueArray(tokenId, { minLength: 32, maxLength: 32 });
    const mostUsd = `${'9'.repeat(39)}.${'9'.repeat(18)}`;
    const quantities: readonly Quantity[] = [
      { kind: 'exact_input_value_usd', value: mostUsd },
      { kind: 'exact_input_tokens', amountRaw: '9'.repeat(39) },
      { kind: 'exact_output_tokens', amountRaw: '1' },
    ];
    const most = {
      maxUses: 1000,
      perUseUsd: mostUsd,
      totalUsd: mostUsd,
      notAfter: instant('2026-03-01T10:00:00.123Z'),
    };
    fc.assert(
      fc.property(
        tokens,
        fc.constantFrom(...quantities),
        fc.boolean(),
        fc.boolean(),
        (ids, quantity, isAny, bounded) => {
          const choice = (id: string): TokenChoice =>
            isAny && quantity.kind === 'exact_input_value_usd'
              ? { any: true }
              : { pinned: { tokenId: `nep141:${id}`, decimals: 38 } };
          const all = Array.from({ length: 16 }, (_, index): ContractAction => {
            const [input, output] = [choice(ids[index * 2]!), choice(ids[index * 2 + 1]!)];
            return { kind: 'swap', input, output, quantity };
          });
          const contract: Contract = { type: 'ledger_intents_transfer', actions: all };
          const given = bounded ? { ...contract, bounds: most } : contract;
          const words = contractWords(given, () => null);
          expect(words).not.toBeNull();
          expect([...(words?.summary ?? '')].length).toBeLessThanOrEqual(2_000);
          for (const amount of amountsIn(given))
            expect(words?.summary.split(amount).length).toBeGreaterThanOrEqual(amount.startsWith('$') ? 2 : 17);
        },
      ),
    );
  });

  it('takes what is held, of the tokens that it names, and never more', () => {
    fc.assert(
      fc.property(actions, fc.array(holdings, { maxLength: 6 }), (action, wallet) => {
        const chosen = chooseInput(action, wallet);
        if (!chosen.ok) return;
        expect(wallet).toContain(chosen.holding);
        expect(chosen.amountRaw).toMatch(/^[1-9]\d*$/);
        expect(BigInt(chosen.amountRaw) <= BigInt(chosen.holding.amountRaw)).toBe(true);
        expect(inputAmount(action.quantity, chosen.holding)).toEqual({ ok: true, amountRaw: chosen.amountRaw });
        if ('pinned' in action.input) expect(chosen.holding).toMatchObject(action.input.pinned);
        if (action.kind !== 'swap') return;
        const output = chooseOutput(action, chosen.holding.tokenId, wallet);
        expect(output?.tokenId).not.toBe(chosen.holding.tokenId);
      }),
    );
  });
});

describe('whatever else comes', () => {
  it('is refused with pointers, never thrown at', () => {
    fc.assert(
      fc.property(fc.oneof(fc.jsonValue(), fc.anything()), (value) => {
        const found = read(ContractShape, value);
        const issues = !found.ok && found.refusal.kind === 'invalid_input' ? found.refusal.issues : [];
        expect(issues.length).toBeGreaterThan(0);
      }),
    );
  });

  it('is refused, or is the contract that it says: a reader changes nothing', () => {
    const spoiled = fc.tuple(contracts, fc.nat(), fc.jsonValue()).map(([contract, at, value]) => {
      const places = placesIn(jsonOf(contract));
      return replaced(jsonOf(contract), places[at % places.length]!, jsonOf(value));
    });
    fc.assert(
      fc.property(spoiled, (value) => {
        const found = read(ContractShape, value);
        if (found.ok) expect(found.value).toStrictEqual(value);
      }),
      { numRuns: 1000 },
    );
  });
});

/** Whether two of the tokens have the same ends, so that they are indistinguishable when shortened. */
function tokensAlike({ actions: all }: Contract): boolean {
  const sides = all.flatMap((action) => ('output' in action ? [action.input, action.output] : [action.input]));
  const ids = new Set(sides.flatMap((side) => ('pinned' in side ? [side.pinned.tokenId] : [])));
  return new Set([...ids].map((id) => `${id.slice(7, 14)}…${id.slice(-6)}`)).size < ids.size;
}
