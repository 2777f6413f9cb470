import { cursor, Member, pageLimit, QueryMember } from '@app/http';
import { oneOf, optional } from '@app/schema';
import { operationStatuses, type OperationStatus } from './operation.state';

export class ListOperationsDto {
  @Member(cursor())
  cursor?: string;

  @QueryMember(pageLimit({ description: 'Items in a page at most' }))
  limit: number;

  @Member(optional(oneOf(operationStatuses, { description: 'Only operations of this status' })))
  status?: OperationStatus;
}
