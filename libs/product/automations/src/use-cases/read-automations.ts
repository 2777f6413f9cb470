import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Cursors, pageOf } from '@app/http';
import { Clock, ok, type AutomationId, type Result, type UserId } from '@app/kernel';
import { boundedPage, Database, membersOf, selectList } from '@app/read-store';
import { instant, integer, list, nullable, shape, uuid, type Page, type Shaped } from '@app/schema';
import { answerOf, unlisted, viewOfRow, type AutomationView, type ListedAutomation } from '../views/automation.view';
import { AutomationReader } from '../automation/automation-reader';
import { ListAutomationsDto, SearchAutomationsDto } from '../views/automations.dto';
import { AutomationRow, statesOf, type StateFilter } from '../automation/read-model/automation.row';
import { searchWords } from '../automation/read-model/search-words';
import { automationName, automationState, truncatedText } from '../definition/automation-shapes';
import { truncate } from '../definition/behavior';

/** The automation, current as of the call, folded from its stream. Refuses with `not_found`. @throws Unavailable */
export class GetAutomation extends Query<Result<AutomationView>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
  ) {
    super();
  }
}

@QueryHandler(GetAutomation)
class GetAutomationHandler implements IQueryHandler<GetAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId }: GetAutomation): Promise<Result<AutomationView>> {
    const automation = await this.reader.find(userId, automationId);
    return answerOf(automationId, automation, this.clock.now());
  }
}

const columns = selectList(AutomationRow, membersOf(AutomationRow, unlisted));

type AutomationsPage = Page<AutomationView> & { readonly total: number };

/**
 * A page of the user's automations, newest first by the position of their creation; without a state, all that are not archived.
 * Refuses with `invalid_cursor`. @throws Unavailable
 */
export class ListAutomations extends Query<Result<AutomationsPage>> {
  constructor(
    readonly userId: UserId,
    readonly query: ListAutomationsDto,
  ) {
    super();
  }
}

@QueryHandler(ListAutomations)
class ListAutomationsHandler implements IQueryHandler<ListAutomations> {
  constructor(
    private readonly database: Database,
    private readonly cursors: Cursors,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, query }: ListAutomations): Promise<Result<AutomationsPage>> {
    const { cursor, limit, state = 'current' } = query;
    const binding = { list: 'automations.list', userId, filters: { state } };
    const before = this.cursors.startOf(binding, cursor);
    if (!before.ok) return before;
    const counters = statesOf(state).map((one) => `${userId}/${one}`);
    const [rows, total] = await Promise.all([
      this.rows(userId, state, before.value, limit + 1),
      this.database.counted('automations', counters),
    ]);
    const now = this.clock.now();
    const page = pageOf(
      rows,
      limit,
      (row) => viewOfRow(row, now),
      ({ openedPosition }) => this.cursors.mint(binding, [openedPosition]),
    );
    return ok({ ...page, total });
  }

  private async rows(
    userId: UserId,
    state: StateFilter,
    before: number | null,
    limit: number,
  ): Promise<ListedAutomation[]> {
    return this.database.query(
      boundedPage(
        `SELECT ${columns}, opened_position AS position FROM {automations}
         WHERE user_id = $1 AND opened_position < $2 AND state = ANY($3) ORDER BY opened_position DESC LIMIT $4`,
        'definition::text',
      ),
      [userId, before ?? Number.MAX_SAFE_INTEGER, statesOf(state), limit],
      'automations.list',
    );
  }
}

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
class SearchAutomationsHandler implements IQueryHandler<SearchAutomations> {
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

export const automationQueries = [GetAutomationHandler, ListAutomationsHandler, SearchAutomationsHandler];
