import type { Issue } from '@app/kernel';
import { read } from '@app/schema';
import { AutomationContractShape, ContractShape } from '../src/contract/contract.schema';

/** Contracts and parts of them for the specs of parsing. */
export const near = { pinned: { tokenId: 'nep141:wrap.near', decimals: 24 } };
export const usdc = { pinned: { tokenId: 'nep141:usdc.near', decimals: 6 } };
export const all = { kind: 'all_of_input' };
export const withdraw = {
  kind: 'withdraw_to_owner',
  input: usdc,
  quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
};
export const swap = { kind: 'swap', input: usdc, output: near, quantity: all };
export const bounds = { maxUses: 3, perUseUsd: '5.0', totalUsd: '15', notAfter: '2026-03-01T10:00:00.000Z' };

export const contractOf = (...actions: unknown[]) => ({ type: 'ledger_intents_transfer', actions });
const readContract = (value: unknown, options: 'forbidden' | 'required') =>
  options === 'required' ? read(AutomationContractShape, value) : read(ContractShape, value);
export const issuesOf = (value: unknown, options: 'forbidden' | 'required' = 'forbidden'): readonly Issue[] => {
  const found = readContract(value, options);
  return !found.ok && found.refusal.kind === 'invalid_input' ? found.refusal.issues : [];
};
export const pathsOf = (value: unknown, options?: 'forbidden' | 'required') =>
  issuesOf(value, options).map(({ path }) => path);
export const isRead = (value: unknown, options: 'forbidden' | 'required' = 'forbidden') =>
  expect(readContract(value, options)).toStrictEqual({ ok: true, value });

/** Expects a contract of this action to be refused at the path, which is relative to the action. */
export const refusedAt = (path: string, action: unknown) =>
  expect(pathsOf(contractOf(action))).toEqual([`/actions/0${path}`]);
