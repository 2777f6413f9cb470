import type { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { isStorable, type StoredEvent } from '../event';
import { badRequest } from '../failure';
import { SEARCH_WINDOW_DEFAULT } from '../limits';

export interface EventFilter {
  matches(event: StoredEvent): boolean;
  /** Prefixes are left to the database; a regular expression (the client's dialect is not PostgreSQL's) is not. */
  readonly prefixes: { on: 'stream' | 'type'; values: readonly string[] } | undefined;
  /** A checkpoint is due after so many considered events. */
  readonly checkpointEvery: number;
}

/** Reads the filter of a request. Throws a bad request when it names no expression or an invalid one. */
export function readFilter(options: ReadReq.Options.FilterOptions): EventFilter {
  const on = options.hasStreamIdentifier() ? 'stream' : 'type';
  const expression = on === 'stream' ? options.getStreamIdentifier() : options.getEventType();
  if (!expression) throw badRequest('a filter needs a stream name or an event type expression');
  const window = options.hasMax() ? options.getMax() : SEARCH_WINDOW_DEFAULT;
  const checkpointEvery = Math.max(1, window * Math.max(1, options.getCheckpointintervalmultiplier()));
  const values = expression.getPrefixList();
  if (values.length > 0) {
    const matches = (event: StoredEvent): boolean => values.some((prefix) => event[on].startsWith(prefix));
    return { matches, prefixes: { on, values: values.filter(isStorable) }, checkpointEvery };
  }
  const regex = compile(expression.getRegex());
  return { matches: (event) => regex.test(event[on]), prefixes: undefined, checkpointEvery };
}

function compile(source: string): RegExp {
  try {
    return new RegExp(source);
  } catch (error) {
    throw badRequest(`not a regular expression: ${error instanceof Error ? error.message : String(error)}`);
  }
}
