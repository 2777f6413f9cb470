import { cursor, Member, pageLimit, QueryMember } from '@app/http';
import { oneOf, optional } from '@app/schema';

export class ListBudgetEntriesDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(pageLimit({ description: 'Items in a page at most' }))
  limit: number;

  @Member(
    optional(oneOf(['day', 'month'], { description: 'The period whose snapshot is explained; `day` when absent' })),
  )
  periodKind?: 'day' | 'month';
}
