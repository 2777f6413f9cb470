import { Member, PageQuery } from '@app/http';
import { oneOf } from '@app/schema';
import { runFilters, type RunFilter } from './runs.schema';

export class ListOperatedRunsDto extends PageQuery {
  @Member(
    oneOf(runFilters, {
      description:
        '`live`: it has a holder, or waits for one. `stuck`: live, and no worker has held it for ten seconds. `failed`: it ended so',
      examples: ['live'],
    }),
  )
  readonly state: RunFilter;
}
