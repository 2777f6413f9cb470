import { Member, PageQuery } from '@app/http';
import { oneOf } from '@app/schema';
import { automationFilters, type AutomationFilter } from './automations.schema';

export class ListOperatedAutomationsDto extends PageQuery {
  @Member(
    oneOf(automationFilters, {
      description:
        '`held`: by an operator. `failing`: its last occurrence was rejected, or the run of it failed. `late`: its rule should have been checked more than a minute ago. Archived ones are in none',
      examples: ['held'],
    }),
  )
  readonly state: AutomationFilter;
}
