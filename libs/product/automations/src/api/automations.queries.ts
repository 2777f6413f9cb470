import { Injectable } from '@nestjs/common';
import type { AutomationId, InputId, Instant, OccurrenceId, UserId } from '@app/kernel';
import { boundedPage, Database, membersOf, selectList } from '@app/read-store';
import type { PassedOver } from '../automation/automation.events';
import { AutomationRow, OccurrenceRow, type OccurrenceDelivery } from '../automation/automation.row';
import { unlisted, type ListedAutomation } from './automation.view';
import type { InputSource } from '../inputs/input.stream';

/** Which automations a list or a search is about; `current`: all that are not archived. */
export const stateFilters = ['current', 'enabled', 'paused', 'archived', 'all'] as const;
export type StateFilter = (typeof stateFilters)[number];

const columns = selectList(AutomationRow, membersOf(AutomationRow, unlisted));

/** An occurrence with the key that it is sorted by. */
export type ListedOccurrence = Omit<OccurrenceRow, 'automationId' | 'position'>;

const occurrenceColumns = selectList(OccurrenceRow, membersOf(OccurrenceRow, ['automationId', 'position']));

/** What a search shows of an automation. */
export interface FoundAutomation {
  readonly id: string;
  readonly name: string;
  readonly state: 'enabled' | 'paused' | 'archived';
  readonly prompt: string;
}

/** An input, and the occurrence that came of it. */
export interface FoundInput {
  readonly receivedAt: Instant;
  readonly trigger: InputSource;
  readonly outcome: PassedOver | null;
  /** Of the occurrence; null where none came of it, or none yet. */
  readonly delivery: OccurrenceDelivery | null;
}

export interface Search {
  /** All must be among an automation's words; none lets every automation through. */
  readonly words: readonly string[];
  readonly state: StateFilter;
  readonly offset: number;
  readonly limit: number;
}

/** What is read of automations and their occurrences in PostgreSQL. */
@Injectable()
export class AutomationQueries {
  constructor(private readonly database: Database) {}

  /** Automations of a user, newest first by the position of their creation, strictly before a sort key. */
  async list(userId: UserId, state: StateFilter, before: number | null, limit: number): Promise<ListedAutomation[]> {
    return this.database.query(
      boundedPage(
        `SELECT ${columns}, opened_position AS position FROM automations
         WHERE user_id = $1 AND opened_position < $2 AND state = ANY($3) ORDER BY opened_position DESC LIMIT $4`,
        'definition::text',
      ),
      [userId, before ?? Number.MAX_SAFE_INTEGER, statesOf(state), limit],
      'automations.list',
    );
  }

  /** How many automations the list has, from kept counters. */
  async total(userId: UserId, state: StateFilter): Promise<number> {
    const [row] = await this.database.query<{ total: number }>(
      'SELECT coalesce(sum(total), 0)::bigint AS total FROM list_counters WHERE name = ANY($1)',
      [statesOf(state).map((one) => `automations/${userId}/${one}`)],
      'automations.total',
    );
    return row?.total ?? 0;
  }

  /** A page of the automations that have all of the words, oldest first, and how many have. */
  async search(
    userId: UserId,
    { words, state, offset, limit }: Search,
  ): Promise<{ readonly total: number; readonly found: readonly FoundAutomation[] }> {
    const matching = 'FROM automations WHERE user_id = $1 AND state = ANY($2) AND search_words @> $3::text[]';
    const matched = [userId, statesOf(state), words];
    const [counted, found] = await Promise.all([
      this.database.query<{ total: number }>(`SELECT count(*) AS total ${matching}`, matched),
      this.database.query<FoundAutomation>(
        `SELECT id, name, state, definition->>'prompt' AS prompt ${matching} ORDER BY opened_position LIMIT $4 OFFSET $5`,
        [...matched, limit, offset],
      ),
    ]);
    return { total: counted[0]?.total ?? 0, found };
  }

  /** Occurrences of an automation, newest first by the position of their beginning, strictly before a sort key. */
  async occurrences(
    automationId: AutomationId,
    delivery: OccurrenceDelivery | null,
    before: number | null,
    limit: number,
  ): Promise<ListedOccurrence[]> {
    const page = [automationId, before ?? Number.MAX_SAFE_INTEGER, limit];
    // Two statements, so that each has an index that gives its rows in order.
    const [where, preparedAs, parameters] =
      delivery === null
        ? ['', 'occurrences.list', page]
        : ['AND delivery = $4', 'occurrences.list.of_delivery', [...page, delivery]];
    return this.database.query(
      `SELECT ${occurrenceColumns} FROM occurrences
       WHERE automation_id = $1 AND opened_position < $2 ${where} ORDER BY opened_position DESC LIMIT $3`,
      parameters,
      preparedAs,
    );
  }

  /** An input of the automation, or null. @param occurrenceId of the occurrence that it would lead to */
  async input(automationId: AutomationId, inputId: InputId, occurrenceId: OccurrenceId): Promise<FoundInput | null> {
    const [row] = await this.database.query<FoundInput>(
      `SELECT i.at AS "receivedAt", i.source AS trigger, i.outcome, o.delivery
       FROM automation_inputs AS i LEFT JOIN occurrences AS o ON o.id = $3 WHERE i.id = $1 AND i.automation_id = $2`,
      [inputId, automationId, occurrenceId],
      'automations.input',
    );
    return row ?? null;
  }
}

function statesOf(filter: StateFilter): readonly string[] {
  if (filter === 'all') return ['enabled', 'paused', 'archived'];
  return filter === 'current' ? ['enabled', 'paused'] : [filter];
}
