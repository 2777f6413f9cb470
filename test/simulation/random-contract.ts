import type { Contract, ContractAction, Quantity, TokenChoice } from '@app/consent';
import { asId, type ApprovalId, type Instant } from '@app/kernel';
import type { OperationTerms, WalletAccount } from '@app/wallets';

const [a, b, c] = ['nep141:a', 'nep141:b', 'nep141:c'].map((tokenId): TokenChoice => ({
  pinned: { tokenId, decimals: 6 },
}));
const quantities: readonly Exclude<Quantity, { readonly kind: 'exact_output_tokens' }>[] = [
  { kind: 'exact_input_tokens', amountRaw: '1000000' },
  { kind: 'exact_input_value_usd', value: '0.25' },
  { kind: 'all_of_input' },
  { kind: 'fraction_of_input', bps: '2500' },
];

/** One to three actions over three tokens. */
export function randomContract(random: () => number): Contract {
  const pick = <Item>(items: readonly (Item | undefined)[]): Item => {
    const item = items[Math.floor(random() * items.length)];
    if (item === undefined) throw new Error('there is nothing to pick from');
    return item;
  };
  const action = (): ContractAction => {
    const quantity = pick(quantities);
    const isPinned = quantity.kind === 'exact_input_tokens' || random() < 0.6;
    const input: TokenChoice = isPinned ? pick([a, b]) : { any: true };
    if (random() < 0.5) return { kind: 'withdraw_to_owner', input, quantity };
    if (random() < 0.3 && c !== undefined)
      return { kind: 'swap', input, output: c, quantity: { kind: 'exact_output_tokens', amountRaw: '70000' } };
    return { kind: 'swap', input, output: random() < 0.7 ? pick([c]) : { any: true }, quantity };
  };
  return { type: 'ledger_intents_transfer', actions: Array.from({ length: pick([1, 1, 2, 3]) }, action) };
}

export function termsOf(wallet: WalletAccount, contract: Contract, expiresAt: Instant): OperationTerms {
  const { userId, walletId } = wallet;
  const approvalId = asId<ApprovalId>('0b7a3b7e-0000-7000-8000-000000000003');
  const inNoConversation = { conversationId: null, runId: null, automationId: null };
  return {
    kind: 'agent_transfer',
    userId,
    walletId,
    approvalId,
    ...inNoConversation,
    contract,
    decidedBy: 'user',
    mainAccountId: 'ada.near',
    expiresAt,
  };
}
