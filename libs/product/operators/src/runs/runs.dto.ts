import { Member, PageQuery } from '@app/http';
import { oneOf, optional, uuid } from '@app/schema';
import { runFilters, type RunFilter } from './runs.schema';

const userId = '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11';

export class ListOperatedRunsDto extends PageQuery {
  @Member(
    optional(
      oneOf(runFilters, {
        description:
          '`live`: it has a holder, or waits for one. `stuck`: live, and no worker has held it for ten seconds. `failed`: it ended so. `ended`: however it ended, with `user` only. When absent all of the user, or those that are live',
        examples: ['live'],
      }),
    ),
  )
  readonly state?: RunFilter;

  @Member(optional(uuid({ description: 'Of this user; of all users when absent', examples: [userId] })))
  readonly user?: string;
}

export class ShowRunDto {
  @Member(
    optional(
      uuid({
        description: 'The user whose run it is: then the id in the path is the one by which the user knows it',
        examples: [userId],
      }),
    ),
  )
  readonly user?: string;
}
