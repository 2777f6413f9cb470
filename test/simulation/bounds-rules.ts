import type { AutomationCommand, AutomationDefinition } from '@app/automations';
import type { Contract, ContractAction, Quantity, TokenChoice } from '@app/consent';
import { asId, instantOf, words, type ApprovalId, type Instant } from '@app/kernel';
import { decimals, tokens, type BoundsWorld } from './bounds-world';

type Review = NonNullable<Extract<AutomationCommand, { readonly type: 'CreateAutomation' }>['review']>;

/** One to sixteen actions, of every kind of quantity. */
export function randomActions(world: BoundsWorld): readonly ContractAction[] {
  const count = world.random() < 0.2 ? 1 + world.upTo(16) : 1 + world.upTo(3);
  return Array.from({ length: count }, () => randomAction(world));
}

function randomAction(world: BoundsWorld): ContractAction {
  const [from, to] = world.random() < 0.5 ? [world.pick(tokens), null] : [null, world.pick(tokens)];
  const inputId = from ?? world.pick(tokens.filter((tokenId) => tokenId !== to));
  const outputId = to ?? world.pick(tokens.filter((tokenId) => tokenId !== inputId));
  const kind = world.upTo(5);
  const isAny = kind !== 0 && world.random() < 0.2;
  const input: TokenChoice = isAny ? { any: true } : pinned(inputId);
  if (kind === 4) {
    const amountRaw = amountOf(world, outputId);
    return { kind: 'swap', input, output: pinned(outputId), quantity: { kind: 'exact_output_tokens', amountRaw } };
  }
  const quantity = quantityOf(world, kind, inputId);
  if (world.random() < 0.3) return { kind: 'withdraw_to_owner', input, quantity };
  return { kind: 'swap', input, output: world.random() < 0.15 ? { any: true } : pinned(outputId), quantity };
}

function quantityOf(
  world: BoundsWorld,
  kind: number,
  inputId: string,
): Exclude<Quantity, { readonly kind: 'exact_output_tokens' }> {
  switch (kind) {
    case 0:
      return { kind: 'exact_input_tokens', amountRaw: amountOf(world, inputId) };
    case 1:
      return { kind: 'exact_input_value_usd', value: `${1 + world.upTo(20)}.${1 + world.upTo(9)}` };
    case 2:
      return { kind: 'all_of_input' };
    default:
      return { kind: 'fraction_of_input', bps: String(1 + world.upTo(10_000)) };
  }
}

function pinned(tokenId: string): TokenChoice {
  return { pinned: { tokenId, decimals: decimals(tokenId) } };
}

function amountOf(world: BoundsWorld, tokenId: string): string {
  const whole = 10n ** BigInt(decimals(tokenId));
  return ((whole * BigInt(1 + world.upTo(300))) / BigInt(1 + world.upTo(100)) + BigInt(world.upTo(3))).toString();
}

/** Bounds near the wallet's worth, so that some uses fit, some do not, and some fit only at first. */
export function randomBounds(world: BoundsWorld, actions: readonly ContractAction[]) {
  const worth = world.holdings().reduce((sum, held) => {
    const cents = world.market().cents.get(held.tokenId) ?? 0n;
    return sum + (BigInt(held.amountRaw) * cents) / 10n ** BigInt(decimals(held.tokenId));
  }, 0n);
  const perUse = (worth * BigInt(20 + world.upTo(300)) * BigInt(Math.min(actions.length, 4))) / 10_000n + 1n;
  return {
    maxUses: 1 + world.upTo(4),
    usesPerOccurrence: 1 + world.upTo(2),
    perUseUsd: String(perUse),
    totalUsd: String((perUse * BigInt(80 + world.upTo(250))) / 100n + 1n),
    notAfter: instantOf(world.nowMs + 20_000 + world.upTo(world.random() < 0.3 ? 60_000 : 3_600_000)),
  };
}

interface Rule {
  readonly automationId: string;
  readonly version: number;
  readonly bounds: NonNullable<Contract['bounds']>;
  readonly actions: readonly ContractAction[];
  readonly at: Instant;
}

/** The rule of that version, and the review that its user decides on. */
export function ruleOf({ automationId, version, bounds, actions, at }: Rule): {
  readonly definition: AutomationDefinition;
  readonly review: Review;
} {
  const definition: AutomationDefinition = {
    name: 'Rule',
    prompt: `version ${version}`,
    conversation: 'new',
    condition: null,
    wake: { kind: 'event', types: ['never.sent'] },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
    contract: { type: 'ledger_intents_transfer', actions, bounds },
  };
  const review: Review = {
    approvalId: asId<ApprovalId>(`contract of version ${version}`),
    automationId,
    walletId: asId('wallet'),
    fingerprint: `sha256:${version}`,
    fingerprintVersion: 2,
    expiresAt: instantOf(Date.parse(at) + 3_600_000),
    summary: words`Move it.`,
    terms: [],
  };
  return { definition, review };
}
