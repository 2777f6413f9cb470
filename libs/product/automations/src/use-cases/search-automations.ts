import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { instant, integer, list, nullable, shape, uuid, type Shaped } from '@app/schema';
import { SearchAutomationsDto } from '../views/automations.dto';
import { searchWords } from '../automation/read-model/search-words';
import { statesOf } from '../automation/read-model/state-filter';
import { automationName, automationState, truncatedText } from '../definition/automation-shapes';
import { truncate } from '../definition/behavior';

const itemsMax = 5;
const taskLengthMax = 160;
/**
 * Maximum size in bytes of a page's items as JSON (docs/decisions/automations.md, "Search"); the other members fit in
 * the remainder of 8 KiB.
 */
const itemsBytesMax = 8 * 1024 - 192;

const SearchItem = shape('AutomationSearchItem', {
  automationId: uuid(),
  name: automationName,
  state: automationState,
  task: truncatedText('TaskText', taskLengthMax, 'The beginning of the present prompt'),
});
type SearchItem = Shaped<typeof SearchItem>;

interface FoundAutomation {
  readonly id: string;
  readonly name: string;
  readonly state: SearchItem['state'];
  readonly prompt: string;
}

/** The answer of `automations.search`. */
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

/**
 * A page, of at most 8 KiB, of the user's automations that have every word of the query in name, prompt or the reviewed
 * description of the rule.
 * @throws Unavailable
 */
export class SearchAutomations extends Query<SearchPage> {
  constructor(
    readonly userId: UserId,
    readonly query: SearchAutomationsDto,
  ) {
    super();
  }
}

@QueryHandler(SearchAutomations)
export class SearchAutomationsHandler implements IQueryHandler<SearchAutomations> {
  constructor(
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, query: asked }: SearchAutomations): Promise<SearchPage> {
    const { query = '', state = 'current', offset } = asked;
    // A query without words matches every automation.
    const words = searchWords(query);
    const matching = 'FROM {automations} WHERE user_id = $1 AND state = ANY($2) AND search_words @> $3::text[]';
    const matched = [userId, statesOf(state), words];
    const [counted, found] = await Promise.all([
      this.database.query<{ total: number }>(`SELECT count(*) AS total ${matching}`, matched),
      this.database.query<FoundAutomation>(
        `SELECT id, name, state, definition->>'prompt' AS prompt ${matching} ORDER BY opened_position LIMIT $4 OFFSET $5`,
        [...matched, itemsMax, offset],
      ),
    ]);
    const total = counted[0]?.total ?? 0;
    const items = withinBytes(found.map(itemOf));
    const next = offset + items.length;
    return { asOf: this.clock.now(), total, items, nextOffset: items.length > 0 && next < total ? next : null };
  }
}

function itemOf({ id, name, state, prompt }: FoundAutomation): SearchItem {
  return { automationId: id, name, state, task: truncate(prompt, taskLengthMax) };
}

/** As many items as fit; one always does. */
function withinBytes(items: readonly SearchItem[]): readonly SearchItem[] {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > itemsBytesMax);
  return tooMany === -1 ? items : items.slice(0, tooMany);
}
