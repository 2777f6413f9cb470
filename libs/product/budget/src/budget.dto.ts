import { cursor, Member, QueryMember } from '@app/http';
import { limits } from '@app/kernel';
import { integer, oneOf, optional } from '@app/schema';

export class ListBudgetEntriesDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(
    integer({
      min: 1,
      max: limits.listLimitMax,
      default: limits.listLimitDefault,
      description: 'Items in a page at most',
    }),
  )
  limit: number;

  @Member(
    optional(oneOf(['day', 'month'], { description: 'The period whose snapshot is explained; `day` when absent' })),
  )
  periodKind?: 'day' | 'month';
}
