import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, erased, openOr, shown, type UserId } from '@app/kernel';
import { boundedPage, Database, selectList } from '@app/read-store';
import { instant, integer, list, nullable, orErased, shape, uuid, type Shaped } from '@app/schema';
import { KeyRing } from '@app/sealing';
import { setImmediate as others } from 'node:timers/promises';
import { AutomationRow, statesOf } from '../automation/read-model/automation.row';
import { searchWords } from '../automation/read-model/search-words';
import { symbolIn } from '../condition/token-symbols';
import { automationState, shownName, truncatedText } from '../definition/automation-shapes';
import { behaviorText, truncate } from '../definition/behavior';
import { openDefinitions } from '../definition/open-definitions';
import { SearchAutomationsDto } from '../views/automations.dto';

const itemsMax = 5;
const taskLengthMax = 160;
/**
 * Maximum size in bytes of a page's items as JSON (docs/decisions/automations.md, "Search"); the other members fit in
 * the remainder of 8 KiB.
 */
const itemsBytesMax = 8 * 1024 - 192;
/** Automations that are read at once; at most 1 MiB of them are in memory. */
const readAtOnceMax = 100;
/** Yields to other work after this time. */
const turnMs = 5;

const SearchItem = shape('AutomationSearchItem', {
  automationId: uuid(),
  name: shownName,
  state: automationState,
  task: orErased(truncatedText('TaskText', taskLengthMax, 'The beginning of the present prompt')),
});
type SearchItem = Shaped<typeof SearchItem>;

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

type Searched = Pick<AutomationRow, 'id' | 'state' | 'definition' | 'symbols'> & { readonly position: number };

const columns = `${selectList(AutomationRow, ['id', 'state', 'definition', 'symbols'])}, opened_position AS position`;

/** A page of what was found, and how many there are in all. */
interface Found {
  readonly total: number;
  readonly page: readonly Searched[];
}

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

/**
 * Names and prompts are sealed in PostgreSQL, so a query with words opens the user's automations one after the other. Those that are not
 * archived are as few as `AUTOMATIONS_PER_USER` allows.
 */
@QueryHandler(SearchAutomations)
export class SearchAutomationsHandler implements IQueryHandler<SearchAutomations> {
  constructor(
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, query: asked }: SearchAutomations): Promise<SearchPage> {
    const { query = '', state = 'current', offset } = asked;
    const words = searchWords(query);
    const states = statesOf(state);
    // A query without words matches every automation.
    const { total, page } = await (words.length === 0
      ? this.all(userId, states, offset)
      : this.matching(userId, states, words, offset));
    const items = withinBytes(page.map(itemOf));
    const next = offset + items.length;
    return { asOf: this.clock.now(), total, items, nextOffset: items.length > 0 && next < total ? next : null };
  }

  private async all(userId: UserId, states: readonly string[], offset: number): Promise<Found> {
    const [total, page] = await Promise.all([
      this.database.counted(
        'automations',
        states.map((state) => `${userId}/${state}`),
      ),
      this.database.query<Searched>(
        `SELECT ${columns} FROM {automations} WHERE user_id = $1 AND state = ANY($2)
         ORDER BY opened_position LIMIT $3 OFFSET $4`,
        [userId, states, itemsMax, offset],
      ),
    ]);
    return { total, page: await openDefinitions(this.keys, page) };
  }

  private async matching(
    userId: UserId,
    states: readonly string[],
    words: readonly string[],
    offset: number,
  ): Promise<Found> {
    const page: Searched[] = [];
    let total = 0;
    let turnEndsMs = performance.now() + turnMs;
    for await (const automation of this.oldestFirst(userId, states)) {
      if (hasAll(words, automation)) {
        if (total >= offset && page.length < itemsMax) page.push(automation);
        total += 1;
      }
      if (performance.now() < turnEndsMs) continue;
      await others();
      turnEndsMs = performance.now() + turnMs;
    }
    return { total, page };
  }

  private async *oldestFirst(userId: UserId, states: readonly string[]): AsyncGenerator<Searched> {
    for (let after = -1; ;) {
      const rows = await this.database.query<Searched>(
        boundedPage(
          `SELECT ${columns} FROM {automations}
           WHERE user_id = $1 AND opened_position > $2 AND state = ANY($3) ORDER BY opened_position LIMIT $4`,
          'definition::text',
          'ASC',
        ),
        [userId, after, states, readAtOnceMax],
        'automations.search',
      );
      const last = rows.at(-1);
      if (last === undefined) return;
      // One by one, so that other work gets its turn in between; the key is in memory after the first.
      for (const row of rows) yield* await openDefinitions(this.keys, [row]);
      after = last.position;
    }
  }
}

/** Whether each word is one of name, prompt or behavior. The behavior is rendered only where a word is still missing. */
function hasAll(words: readonly string[], { definition, symbols }: Searched): boolean {
  const written = new Set(searchWords(`${openOr(definition.name, '')}\n${openOr(definition.prompt, '')}`));
  const missing = words.filter((word) => !written.has(word));
  if (missing.length === 0) return true;
  const said = new Set(searchWords(behaviorText(definition, symbolIn(symbols))));
  return missing.every((word) => said.has(word));
}

function itemOf({ id, state, definition }: Searched): SearchItem {
  const prompt = openOr(definition.prompt, null);
  const task = prompt === null ? erased : truncate(prompt, taskLengthMax);
  return { automationId: id, name: shown(definition.name), state, task };
}

/** As many items as fit; one always does. */
function withinBytes(items: readonly SearchItem[]): readonly SearchItem[] {
  let bytes = 0;
  const tooMany = items.findIndex((item) => (bytes += Buffer.byteLength(JSON.stringify(item)) + 1) > itemsBytesMax);
  return tooMany === -1 ? items : items.slice(0, tooMany);
}
