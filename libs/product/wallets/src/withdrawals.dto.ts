import { CursorText, Describe, IntegerText, OneOf, Optional, Text, Value } from '@app/http';
import { limits } from '@app/kernel';
import { text } from '@app/schema';
import { operationStatuses, type OperationStatus } from './operation.state';
import { assetLimits } from './withdrawal.schema';

const isText = (value: unknown) => typeof value === 'string';

export class PrepareWithdrawalDto {
  @Describe('One of the assets of `wallets.withdrawalSources`')
  @Text({ min: 1, max: assetLimits.tokenIdLengthMax })
  tokenId: string;

  @Describe("In the token's smallest unit: positive, without leading zeros, at most the balance")
  @Text({ min: 1, max: assetLimits.amountDigitsMax, pattern: /^[1-9][0-9]*$/ })
  amountRaw: string;
}

export class ConfirmWithdrawalDto {
  @Describe('As `wallets.prepareWithdrawal` answered it; any other is `withdrawal_changed`')
  @Value('a text', isText, text())
  fingerprint: string;
}

export class ListOperationsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('Items in a page at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Describe('Only operations of this status')
  @Optional()
  @OneOf(operationStatuses)
  status?: OperationStatus;
}
