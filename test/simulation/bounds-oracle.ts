import type { AutomationDefinition } from '@app/automations';
import type { ContractAction } from '@app/consent';
import { decimals, type BoundsWorld, type Effect } from './bounds-world';

/** An exact number of US dollars, with its own arithmetic: the oracle shares none with the product. */
interface Fraction {
  readonly num: bigint;
  readonly den: bigint;
}

type Bounds = NonNullable<NonNullable<AutomationDefinition['contract']>['bounds']>;

/** An authority as its user approved it. */
export interface Approved {
  readonly bounds: Bounds;
  readonly actions: readonly ContractAction[];
  /** Set at its end: no amount may be chosen on its authority after that. */
  endedAtMs: number | null;
}

/** The oracle's record of an operation. */
export interface Moved {
  /** Null if the user approved the call itself. */
  readonly authority: Approved | null;
  readonly occurrence: number;
  readonly actions: readonly ContractAction[];
}

/** Checks the provider's effects against what the user read, without any knowledge of what the product has recorded. */
export class BoundsOracle {
  readonly wrongs: string[] = [];
  /** By operation id. */
  readonly operations = new Map<string, Moved>();

  constructor(private readonly world: () => BoundsWorld) {}

  /** Checks an effect that is about to be recorded in the provider's books. */
  taken(effect: Effect): void {
    const id = effect.submission.key.split('/')[0] ?? '';
    const operation = this.operations.get(id);
    if (operation === undefined) return void this.wrongs.push(`${effect.submission.key} belongs to nothing`);
    const worth = worthOf(effect);
    const action = operation.actions[Number(effect.submission.key.split('/')[1])];
    if (action?.quantity.kind === 'exact_input_value_usd' && !isAtMost(worth, action.quantity.value))
      this.wrongs.push(`${effect.submission.key} is more than $${action.quantity.value}`);
    if (operation.authority !== null) this.hold(operation.authority, id, effect, operation.occurrence);
  }

  /** The exact sum that an operation has moved. Null if a price is missing. */
  movedBy(id: string): Fraction | null {
    return this.sumOf(([key]) => key.startsWith(`${id}/`));
  }

  private hold(authority: Approved, id: string, effect: Effect, occurrence: number): void {
    const { bounds, endedAtMs } = authority;
    const wrong = (what: string): void => void this.wrongs.push(`${effect.submission.key} ${what}`);
    const chosenAt = effect.chosen?.at ?? null;
    if (chosenAt === null || chosenAt >= bounds.notAfter) wrong('was chosen after the end');
    if (endedAtMs !== null && chosenAt !== null && Date.parse(chosenAt) > endedAtMs) wrong('has no authority any more');
    const ids = [...this.operations].filter(([, one]) => one.authority === authority).map(([other]) => other);
    const ofKey = (key: string): string => key.split('/')[0] ?? '';
    const worth = worthOf(effect);
    if (!isAtMost(sum(this.movedBy(id), worth), bounds.perUseUsd)) wrong('is more than one use may move');
    const all = this.sumOf(([key]) => ids.includes(ofKey(key)));
    if (!isAtMost(sum(all, worth), bounds.totalUsd)) wrong('is more than all uses may move');
    const used = new Set([...[...this.world().effects.keys()].map(ofKey), id].filter((one) => ids.includes(one)));
    if (used.size > bounds.maxUses) wrong('is of one use too many');
    const ofOccurrence = [...used].filter((one) => this.operations.get(one)?.occurrence === occurrence);
    if (ofOccurrence.length > (bounds.usesPerOccurrence ?? 1)) wrong('is of one use too many of its occurrence');
  }

  private sumOf(isCounted: (entry: readonly [string, Effect]) => boolean): Fraction | null {
    return [...this.world().effects]
      .filter(isCounted)
      .map(([, effect]) => worthOf(effect))
      .reduce(sum, { num: 0n, den: 1n });
  }
}

/** The worth of what left and did not return, at the price for which the amount was chosen. */
function worthOf({ submission: { input }, chosen, back }: Effect): Fraction | null {
  const cents = chosen?.cents.get(input.tokenId) ?? null;
  if (cents === null) return null;
  return { num: (BigInt(input.amountRaw) - back) * cents, den: 100n * 10n ** BigInt(decimals(input.tokenId)) };
}

function sum(one: Fraction | null, other: Fraction | null): Fraction | null {
  if (one === null || other === null) return null;
  return { num: one.num * other.den + other.num * one.den, den: one.den * other.den };
}

/** Whether an amount is known and at most so many dollars. */
function isAtMost(amount: Fraction | null, usd: string): boolean {
  if (amount === null) return false;
  const [whole = '', fraction = ''] = usd.split('.');
  return amount.num * 10n ** BigInt(fraction.length) <= BigInt(whole + fraction) * amount.den;
}

/**
 * Whether a count is the amount rounded up, by less than one unit of the last decimal place for each of up to sixteen
 * actions.
 */
export function isCountOf(usd: string, amount: Fraction | null): boolean {
  const room = { num: -16n, den: 10n ** 18n };
  const under = sum(amount, room);
  return isAtMost(amount, usd) && under !== null && (under.num < 0n || !isMoreThan(usd, amount));
}

/** Whether dollars exceed an amount by more than sixteen units of the last decimal place. */
function isMoreThan(usd: string, amount: Fraction | null): boolean {
  const [whole = '', fraction = ''] = usd.split('.');
  const over = sum(amount, { num: 16n, den: 10n ** 18n });
  return over === null || BigInt(whole + fraction) * over.den > over.num * 10n ** BigInt(fraction.length);
}
