import { words } from '@app/kernel';
import { worthUsdOf } from '../operation/submission/moved-worth';
import type { JournaledSubmission } from '../operation/operation.events';
import type { OperationFailure, Submission } from '../provider/submission';
import { chooseOrder, isAsOrdered, losesTooMuch, type ChosenOrder } from '../operation/submission/operation-order';
import type { Step } from './operation.process';
import type { OperationState } from '../operation/operation.state';
import { withProbe, type OperationPorts } from './operation-ports';
import type { Token } from '../provider/wallet-provider';
import type { WalletState } from '../wallet/wallet.decider';

/** The submission to be journaled and sent, or why there is none. */
export type PlannedWorth =
  ({ readonly ok: true } & JournaledSubmission) | { readonly ok: false; readonly failure: OperationFailure };

/**
 * Chooses the wallet's tokens and amounts for the contract's action and has the provider build the bytes; repeating
 * this has no effect. Null when that cannot be decided now: an operator has disabled the wallet, or others are using
 * its funds.
 *
 * @param patient see `driveOperation`
 */
export async function planSubmission(
  world: OperationPorts,
  state: OperationState,
  { index, attempt, latestDeadline }: Extract<Step, { readonly do: 'plan' }>,
  patient: boolean,
): Promise<PlannedWorth | null> {
  const wallet = await world.wallet(state);
  const chosen = wallet.status === 'active' ? await choose(world, state, wallet, index, patient) : null;
  if (chosen === null || !chosen.ok) return chosen;
  const order = { key: `${world.operationId}/${index}/${attempt}`, attempt, order: chosen.order, latestDeadline };
  const planned = await withProbe(world, () => world.provider.plan({ wallet, ...order }));
  if (!planned.ok) return planned;
  const { submission } = planned;
  if (!isAsOrdered(submission, order)) return { ok: false, failure: otherThanOrdered };
  if (losesTooMuch(submission, await tokensOf(world, submission))) return { ok: false, failure: losing };
  return { ok: true, submission, worthUsd: worthUsdOf({ ...chosen.input, amountRaw: submission.input.amountRaw }) };
}

/** Null when that cannot be decided now. */
async function choose(
  world: OperationPorts,
  state: OperationState,
  wallet: WalletState,
  index: number,
  patient: boolean,
): Promise<ChosenOrder | null> {
  const { contract, mainAccountId } = state.terms;
  const action = contract.actions[index];
  if (action === undefined) throw new Error(`the contract has no action ${index}`);
  const spendable = await world.spendable(state);
  if (!spendable.ok) return null;
  const chosen = chooseOrder(action, spendable.value, mainAccountId);
  if (chosen.ok) return (await hasAgreedDecimals(world, chosen)) ? chosen : { ok: false, failure: otherDecimals };
  if (!patient || chosen.failure.reason !== 'insufficient_balance') return chosen;
  // The wallet's funds are being used by others, or are counted twice until a settlement reaches the read model.
  const held = await world.provider.holdings(wallet);
  return chooseOrder(action, held, mainAccountId).ok ? null : chosen;
}

const otherDecimals: OperationFailure = {
  reason: 'provider_rejected',
  text: words`The provider knows the token by other decimals than agreed.`,
};
const otherThanOrdered: OperationFailure = {
  reason: 'provider_rejected',
  text: words`The provider offered something else than what was ordered.`,
};

const losing: OperationFailure = {
  reason: 'provider_rejected',
  text: words`The provider promises less than nine tenths of what the input is worth.`,
};

/** The tokens that a submission moves, with their prices. */
async function tokensOf({ provider }: OperationPorts, { input, output }: Submission): Promise<readonly Token[]> {
  if (output === null) return [];
  const found = [await provider.findToken(input.tokenId), await provider.findToken(output.tokenId)];
  return found.filter((token) => token !== null);
}

async function hasAgreedDecimals(
  { provider }: OperationPorts,
  { output }: Extract<ChosenOrder, { readonly ok: true }>,
): Promise<boolean> {
  if (output === null) return true;
  return (await provider.findToken(output.tokenId))?.decimals === output.decimals;
}
