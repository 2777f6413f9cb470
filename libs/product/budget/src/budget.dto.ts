import { CursorText, Describe, IntegerText, OneOf, Optional } from '@app/http';
import { limits } from '@app/kernel';

export class ListBudgetEntriesDto {
  @Optional()
  @CursorText()
  cursor?: string;

  @Describe('Items in a page at most')
  @IntegerText({ min: 1, max: limits.listLimitMax, default: limits.listLimitDefault })
  limit: number;

  @Describe('The period whose snapshot is explained; `day` when absent')
  @Optional()
  @OneOf(['day', 'month'])
  periodKind?: 'day' | 'month';
}
