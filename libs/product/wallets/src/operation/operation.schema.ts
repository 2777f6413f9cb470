import type { PathParameter } from '@app/http';
import { contractLimits, type ContractAction } from '@app/consent';
import { countedPageOfShape, exactly, instant, integer, list, nullable, oneOf, shape, text, uuid } from '@app/schema';
import type { Shaped } from '@app/schema';
import { ContractShape } from '../contract/contract.schema';
import type { OperationTerms } from './operation.events';
import { operationFailureReasons, type OperationFailure, type TokenAmount } from '../provider/submission';
import { actionStatuses, operationStatuses } from './operation.state';
import { assetId, rawAmount } from '../provider/asset.schema';

export const TokenAmountShape = exactly<TokenAmount>()(
  shape('TokenAmount', {
    tokenId: assetId,
    amountRaw: rawAmount('In the smallest unit'),
  }),
);

/** A failure as served: its words are plain text there. */
type ServedFailure = Omit<OperationFailure, 'text'> & { readonly text: string };

const OperationFailureShape = exactly<{ readonly [Member in keyof ServedFailure]: ServedFailure[Member] }>()(
  shape('OperationFailure', {
    reason: oneOf(operationFailureReasons),
    text: text({ min: 1, description: 'A plain sentence' }),
  }),
);

/** One action of an operation, as the API returns it. */
const OperationAction = shape('OperationAction', {
  index: integer({ min: 0, max: contractLimits.actionsMax - 1, description: 'Its place in the contract' }),
  kind: exactly<ContractAction['kind']>()(oneOf(['swap', 'withdraw_to_owner'])),
  status: oneOf(actionStatuses, {
    description:
      '`submitted` as soon as its submission is journaled: from then on it may have been sent. Actions after one that failed stay `pending`',
  }),
  input: nullable(TokenAmountShape, {
    description: 'What it takes; null until it is known, since an action may leave token or amount to its execution',
  }),
  output: nullable(TokenAmountShape, {
    description:
      'What it delivers: expected until it is settled; null where the provider does not say, and for a failed one',
  }),
  leastOutput: nullable(TokenAmountShape, {
    description:
      'What a swap delivers at the least; for less the provider gives it back. Null where it promises nothing',
  }),
  returned: nullable(TokenAmountShape, {
    description: "What came back of the input, after the provider's fees; null where the provider names nothing",
  }),
  providerReference: nullable(text({ min: 1 }), { description: "The provider's name for it, once it has taken it" }),
});
export type OperationAction = Shaped<typeof OperationAction>;

/** FinancialOperation, as the API returns it (docs/decisions/money.md). */
export const FinancialOperation = shape('FinancialOperation', {
  id: uuid(),
  kind: exactly<OperationTerms['kind']>()(
    oneOf(['withdrawal', 'agent_transfer'], {
      description: 'A direct withdrawal, or what an approved tool call of an agent moves',
    }),
  ),
  status: oneOf(operationStatuses, {
    description:
      '`settled` is the evidence of settlement. `unresolved`: the provider cannot say what became of it; it is asked again and again, and nothing is sent again',
  }),
  approvalId: uuid(),
  conversationId: nullable(uuid(), { description: 'Null for a direct withdrawal' }),
  runId: nullable(uuid(), { description: 'Null for a direct withdrawal' }),
  automationId: nullable(uuid(), { description: 'Null unless a run of an automation asked for it' }),
  contract: ContractShape,
  actions: list(OperationAction, {
    min: 1,
    max: contractLimits.actionsMax,
    description: 'One for each action of the contract, in its order',
  }),
  failure: nullable(OperationFailureShape, { description: 'Null unless `status` is `failed`' }),
  createdAt: instant(),
  updatedAt: instant(),
  settledAt: nullable(instant(), { description: 'Null unless `status` is `settled`' }),
});
export type OperationView = Shaped<typeof FinancialOperation>;

export const FinancialOperationPage = countedPageOfShape('FinancialOperation', FinancialOperation);
export type FinancialOperationPage = Shaped<typeof FinancialOperationPage>;

/** The path parameter of an operation. */
export const operationIdParameter: PathParameter = {
  description: "A financial operation of the user's wallet",
  example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e07',
};
