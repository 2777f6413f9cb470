import { CursorText, IntegerText, OneOf, Optional, text, Text, Value } from '@app/http';
import { limits } from '@app/kernel';
import { operationStatuses } from './operation.row';
import type { OperationStatus } from './operation.state';

const tokenIdLengthMax = 512;
const amountDigitsMax = 160;

const isText = (value: unknown) => typeof value === 'string';

export class PrepareWithdrawalDto {
  @Text({ min: 1, max: tokenIdLengthMax })
  tokenId: string;

  /** In the token's smallest unit: positive, without leading zeros. */
  @Text({ min: 1, max: amountDigitsMax, pattern: /^[1-9][0-9]*$/ })
  amountRaw: string;
}

export class ConfirmWithdrawalDto {
  @Value('a text', isText, text())
  fingerprint: string;
}

export class ListOperationsDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Optional()
  @OneOf(operationStatuses)
  status?: OperationStatus;
}
