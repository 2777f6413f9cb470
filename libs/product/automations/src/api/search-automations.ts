import { Injectable } from '@nestjs/common';
import { Clock, type UserId } from '@app/kernel';
import { instant, integer, list, nullable, shape, uuid, type Shaped } from '@app/schema';
import { automationName, automationState, truncatedText } from '../definition/automation-shapes';
import { AutomationQueries, type FoundAutomation, type StateFilter } from './automations.queries';
import { truncate } from '../definition/behavior';
import { searchWords } from './search-words';

const itemsMax = 5;
const taskLengthMax = 160;
/** Most bytes of a page's items as JSON (docs/decisions/automations.md, "Search"); the rest of the page fits in the remainder of 8 KiB. */
const itemsBytesMax = 8 * 1024 - 192;

const SearchItem = shape('AutomationSearchItem', {
  automationId: uuid(),
  name: automationName,
  state: automationState,
  task: truncatedText('TaskText', taskLengthMax, 'The beginning of the present prompt'),
});
type SearchItem = Shaped<typeof SearchItem>;

/** What `automations.search` answers. */
export const SearchPage = shape('AutomationSearchPage', {
  asOf: instant(),
  total: integer({ min: 0, description: 'Across all pages' }),
  items: list(SearchItem, {
    max: itemsMax,
    description: 'Oldest first; fewer where the page would take more than 8 KiB',
  }),
  nextOffset: nullable(integer({ min: 1 }), { description: 'The `offset` of the next page; null at the end' }),
});
export type SearchPage = Shaped<typeof SearchPage>;

/** `automations.search`: by whole words over name, prompt and the reviewed description of the rule. */
@Injectable()
export class SearchAutomations {
  constructor(
    private readonly queries: AutomationQueries,
    private readonly clock: Clock,
  ) {}

  /** A page of at most 8 KiB. @throws Unavailable */
  async search(
    userId: UserId,
    { query, state, offset }: { readonly query: string; readonly state: StateFilter; readonly offset: number },
  ): Promise<SearchPage> {
    const words = searchWords(query);
    const { total, found } = await this.queries.search(userId, { words, state, offset, limit: itemsMax });
    const items = withinBytes(found.map(itemOf));
    const next = offset + items.length;
    return { asOf: this.clock.now(), total, items, nextOffset: items.length > 0 && next < total ? next : null };
  }
}

function itemOf({ id, name, state, prompt }: FoundAutomation): SearchItem {
  return { automationId: id, name, state, task: truncate(prompt, taskLengthMax) };
}

/** As many as fit in; one always does. */
function withinBytes(items: readonly SearchItem[]): readonly SearchItem[] {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > itemsBytesMax);
  return tooMany === -1 ? items : items.slice(0, tooMany);
}
