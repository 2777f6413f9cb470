import type { Contract, ContractAction, Quantity, TokenChoice } from './contract';
import { instant } from '../../../test/support/decider-spec';
import { renderContract } from './contract-sentence';

const pinned = (tokenId: string, decimals: number): TokenChoice => ({ pinned: { tokenId, decimals } });
const usdc = pinned('nep141:usdc', 6);
const near = pinned('nep141:wrap.near', 24);
const any: TokenChoice = { any: true };
const symbols: Record<string, string> = { 'nep141:usdc': 'USDC', 'nep141:wrap.near': 'wNEAR' };
const symbolOf = (tokenId: string) => symbols[tokenId] ?? null;

const sentence = (...actions: ContractAction[]) =>
  renderContract({ type: 'ledger_intents_transfer', actions }, symbolOf);
const withdraw = (quantity: Exclude<Quantity, { kind: 'exact_output_tokens' }>, input = usdc) =>
  sentence({ kind: 'withdraw_to_owner', input, quantity });
const swap = (quantity: Quantity, input = usdc, output = near) => sentence({ kind: 'swap', input, output, quantity });

const tokens = { kind: 'exact_input_tokens', amountRaw: '1500000' } as const;
const usd = { kind: 'exact_input_value_usd', value: '20' } as const;
const all = { kind: 'all_of_input' } as const;
const quarter = { kind: 'fraction_of_input', bps: '2500' } as const;
const output = { kind: 'exact_output_tokens', amountRaw: `2${'0'.repeat(24)}` } as const;

describe('renderContract', () => {
  it('tells of withdrawals', () => {
    expect(withdraw(tokens)).toBe('Withdraw 1.5 USDC to your main account.');
    expect(withdraw(usd)).toBe('Withdraw $20 of USDC to your main account.');
    expect(withdraw(all)).toBe('Withdraw all USDC to your main account.');
    expect(withdraw({ ...quarter, bps: '1' })).toBe('Withdraw 0.01% of USDC to your main account.');
    expect(withdraw(all, any)).toBe('Withdraw all of your most valuable token to your main account.');
    expect(withdraw(usd, any)).toBe('Withdraw $20 of your most valuable token that covers it to your main account.');
    expect(withdraw(quarter, any)).toBe('Withdraw 25% of your most valuable token to your main account.');
  });
  it('tells of swaps', () => {
    expect(swap(tokens)).toBe('Swap 1.5 USDC to wNEAR.');
    expect(swap(usd)).toBe('Swap $20 of USDC to wNEAR.');
    expect(swap(output)).toBe('Swap as much of USDC as it takes to receive 2 wNEAR.');
    expect(swap(output, any)).toBe('Swap as much of your most valuable token as it takes to receive 2 wNEAR.');
    expect(swap(tokens, usdc, any)).toBe('Swap 1.5 USDC to your most valuable other token.');
  });
  it('tells actions in their order', () =>
    expect(
      sentence(
        { kind: 'swap', input: usdc, output: near, quantity: tokens },
        { kind: 'withdraw_to_owner', input: near, quantity: all },
      ),
    ).toBe('Swap 1.5 USDC to wNEAR, then withdraw all wNEAR to your main account.'));
  it('tells of bounds', () => {
    const actions: ContractAction[] = [{ kind: 'swap', input: usdc, output: near, quantity: tokens }];
    const bounds = { maxUses: 3, perUseUsd: '5', totalUsd: '15', notAfter: instant('2026-03-01T10:00Z') };
    const contract: Contract = { type: 'ledger_intents_transfer', actions, bounds };
    const rest = 'at most until 2026-03-01T10:00:00.000Z, for up to $5 each and $15 in all.';
    expect(renderContract(contract, symbolOf)).toBe(`Swap 1.5 USDC to wNEAR, 3 times ${rest}`);
    const once = { ...contract, bounds: { ...bounds, maxUses: 1 } };
    expect(renderContract(once, symbolOf)).toBe(`Swap 1.5 USDC to wNEAR, 1 time ${rest}`);
  });
});

describe('a token in the sentence', () => {
  const named = (symbol: string | null) =>
    renderContract(
      { type: 'ledger_intents_transfer', actions: [{ kind: 'withdraw_to_owner', input: usdc, quantity: all }] },
      () => symbol,
    );
  const byId = 'Withdraw all nep141:usdc to your main account.';

  it.each(['USDC', 'USD₮0', '$WIF', 'USDC.e', 'a-b', 'stNEAR'])('goes by its symbol %s', (symbol) =>
    expect(named(symbol)).toBe(`Withdraw all ${symbol} to your main account.`),
  );
  it.each([null, '', 'USDC to eve.near', 'USDC.', 'USDC\n', 'ＵＳＤＣ', 'A'.repeat(26), 'a,b'])(
    'goes by its id when its symbol is %j',
    (symbol) => expect(named(symbol)).toBe(byId),
  );
  it('goes by its id where another has the same symbol', () => {
    const actions: ContractAction[] = [{ kind: 'swap', input: usdc, output: near, quantity: all }];
    expect(renderContract({ type: 'ledger_intents_transfer', actions }, () => 'USDC')).toBe(
      'Swap all nep141:usdc to nep141:wrap.near.',
    );
  });
  it('shows both ends of a long id', () => {
    const tokenId = `nep141:${'a'.repeat(100)}.factory.near`;
    expect(withdraw(all, pinned(tokenId, 0))).toBe(
      `Withdraw all nep141:${'a'.repeat(22)}…${'a'.repeat(16)}.factory.near to your main account.`,
    );
  });
});

describe('a sentence of many actions', () => {
  const action: ContractAction = { kind: 'swap', input: usdc, output: near, quantity: tokens };
  it('counts those that do not fit in', () => {
    const text = sentence(...Array<ContractAction>(16).fill(action));
    expect(text.length).toBeLessThanOrEqual(320);
    const told = text.split('swap').length;
    expect(text).toMatch(new RegExp(`wNEAR, then carry out ${16 - told} more actions\\.$`));
    expect(text.length + ', then swap 1.5 USDC to wNEAR'.length).toBeGreaterThan(320);
  });
  it('counts one', () => {
    const long = { ...action, input: pinned(`nep141:${'a'.repeat(200)}`, 0) };
    expect(sentence(...Array<ContractAction>(4).fill(long))).toMatch(/, then carry out 1 more action\.$/);
  });
  it('counts all when not even the first fits in', () => {
    const amountRaw = '9'.repeat(39);
    const long: ContractAction = {
      ...{
        kind: 'swap',
        input: pinned(`nep141:${'a'.repeat(500)}`, 0),
        output: pinned(`nep141:${'b'.repeat(500)}`, 0),
      },
      quantity: { kind: 'exact_input_tokens', amountRaw },
    };
    const usdMost = `${amountRaw}.${'9'.repeat(18)}`;
    const bounds = { maxUses: 1000, perUseUsd: usdMost, totalUsd: usdMost, notAfter: instant('2026-03-01T10:00Z') };
    const text = renderContract({ type: 'ledger_intents_transfer', actions: [long, long], bounds }, symbolOf);
    expect(text).toMatch(/^Carry out 2 actions, 1000 times at most until /);
    expect(text.length).toBeLessThanOrEqual(320);
  });
});
