import { isStorable, type StoredEvent } from '../event';
import { FailureError, badRequest } from '../failure';
import { FILTERED_WINDOW_EVENTS_MAX, PAGE_EVENTS_MAX, SEARCH_WINDOW_DEFAULT } from '../limits';
import type { FilterOptions } from '@app/event-store-wire';

export interface EventFilter {
  readonly on: 'stream' | 'type';
  matches(event: StoredEvent): boolean;
  /** Whether events of that stream name or type match. */
  accepts(text: string): boolean;
  /** Prefixes are passed to the database; a regular expression is not, because the client's dialect is not PostgreSQL's. */
  readonly prefixes: readonly string[] | undefined;
  /** A checkpoint is due after so many considered events; never, if it is infinite. */
  readonly checkpointEvery: number;
}

/** Builds the filter of a request. Throws a bad request when it names no expression or an invalid one. */
export function filterOf({ on, expression, window, checkpointIntervalMultiplier }: FilterOptions): EventFilter {
  if (!expression) throw badRequest('a filter needs a stream name or an event type expression');
  const checkpointEvery = Math.max(1, (window ?? SEARCH_WINDOW_DEFAULT) * Math.max(1, checkpointIntervalMultiplier));
  const values = expression.prefixes;
  if (values.length > 0) {
    const accepts = (text: string): boolean => values.some((prefix) => text.startsWith(prefix));
    const prefixes = values.filter(isStorable);
    return { on, accepts, matches: (event) => accepts(event[on]), prefixes, checkpointEvery };
  }
  const regex = compile(expression.regex);
  const accepts = (text: string): boolean => regex.test(text);
  return { on, accepts, matches: (event) => accepts(event[on]), prefixes: undefined, checkpointEvery };
}

/** How many events a page of that filter may search, so that its checkpoints do not outnumber a page. */
export function windowOf(filter: EventFilter): number {
  return Math.min(FILTERED_WINDOW_EVENTS_MAX, filter.checkpointEvery * PAGE_EVENTS_MAX);
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source);
  } catch (error) {
    const message = `not a regular expression: ${error instanceof Error ? error.message : String(error)}`;
    throw new FailureError({ kind: 'bad-expression', message });
  }
}
