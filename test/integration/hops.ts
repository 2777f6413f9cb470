import { EventStore } from '@app/event-store';
import { Database } from '@app/read-store';

/** The calls of a path to the stores, one word for each call, sorted. */
export interface Hops {
  /** Categories of the streams that were appended to. */
  readonly appends: readonly string[];
  /** Categories of the streams that were read; `end` is the query for the end of the read models' events. */
  readonly reads: readonly string[];
  /** Statements, named after their table or function, including those that notify. */
  readonly statements: readonly string[];
}

/** Statements that run all the time, whoever calls: heartbeats, polls, checkpoints, sweeps, clocks and gauges. */
const background = [
  /^INSERT INTO processes/,
  /^DELETE FROM processes/,
  /^SELECT EXISTS \(SELECT 1 FROM processes/,
  /^SELECT DISTINCT unnest\(troubles\)/,
  /^SELECT pg_notify\('parley_read_models'/,
  /^UPDATE execution_slots AS s SET worker_id/, // the poll for unclaimed slots in case a notification was lost
  /^WITH held AS \( UPDATE execution_slots/, // the renewal of leases
  /^DELETE FROM execution_slots AS s WHERE EXISTS/, // these three are the watchdog's
  /^SELECT b\.user_id .* FROM \{budget_reservations\} AS b/,
  /^SELECT run_key .* NOT EXISTS \(SELECT 1 FROM execution_slots/,
  /reactor_checkpoints/,
  /read_model_tables/,
  /read_model_positions/,
  /projector_partitions/, // the number of projectors that share the read models
  /^SELECT \* FROM "\w+" WHERE "\w+" = ANY/, // rows that the projector has not cached
  /^WITH due AS/, // the poll for due timers
  /^SELECT min\(due_at_ms\)/,
  /stream_sockets/,
  /transparency_/, // a signed checkpoint each minute
  /sandbox_/,
  /clock_offset_ms/,
  /ledger_/, // queries of the sandbox's provider to its own ledger
  /^SELECT public_key, sealed FROM wallet_keys/, // and its signing keys
  /^SELECT id FROM \( SELECT conversation_id AS id, min\(opened_position\)/, // queues whose next run has not started
  /FROM source_samples WHERE/, // these six are sweeps for work without a timer
  /FROM \{erasures\}/,
  /FROM \{archived_conversations\}/,
  /FROM \{automations\} AS a WHERE/,
  /FROM \{occurrences\} AS o JOIN \{automations\}/,
  /FROM \{automations\}, jsonb_array_elements/,
  /^SELECT o\.id FROM \{financial_operations\}/,
  /pg_notify\(\$1, payload\)/, // a model's words in progress
  /snapshots/,
  /current_setting/,
  /FROM \{partner_keys\}/, // keys are cached for a minute
];

/** Names of statements: the first whose pattern matches. */
const statementNames: readonly (readonly [RegExp, string])[] = [
  [/take_execution_slots/, 'take slots'],
  [/release_execution_slots/, 'release slots'],
  [/take_from_rate_windows/, 'take from rate windows'],
  [/FROM \{users\} WHERE user_id = ANY/, 'find accounts'],
  [/FROM \{approvals\}/, 'find the approval'],
  [/^DELETE FROM timers USING/, 'remove timers'],
  [/INTO timers/, 'schedule a timer'],
  [/automation_checks/, 'keep looks'],
  [/FROM list_counters/, 'count conversations'],
  [/INSERT INTO sealing_keys/, 'make keys of words'],
  [/FROM \{financial_operations\}, jsonb_array_elements/, 'sum what is in flight'],
];

/** Records the calls of this process to its stores while the path runs. */
export async function hopsOf(path: () => Promise<unknown>): Promise<Hops> {
  const appends = jest.spyOn(EventStore.prototype, 'append');
  const reads = [
    jest.spyOn(EventStore.prototype, 'readStream'),
    jest.spyOn(EventStore.prototype, 'readStreamWithin'),
    jest.spyOn(EventStore.prototype, 'readStreamBackwards'),
  ];
  const ends = jest.spyOn(EventStore.prototype, 'endPositionOf');
  const statements = jest.spyOn(Database.prototype, 'query');
  try {
    await path();
    const read = reads.flatMap(({ mock }) => mock.calls.map(([stream]) => categoryOf(stream)));
    const appended = appends.mock.calls.map(([stream]) => categoryOf(stream));
    read.push(...ends.mock.calls.map(() => 'end'));
    return {
      appends: appended.filter((category) => category !== 'audit').sort(),
      // Operators' controls and their log are read repeatedly, and signed checkpoints are made each minute, whoever
      // calls.
      reads: read.filter((category) => !['deployment', 'operator', 'audit'].includes(category)).sort(),
      statements: statements.mock.calls.flatMap(([sql]) => namesOf(sql)).sort(),
    };
  } finally {
    for (const spy of [appends, ...reads, ends, statements]) spy.mockRestore();
  }
}

function categoryOf(stream: string): string {
  return stream.slice(0, stream.indexOf('-'));
}

/** Omits background statements; an unknown statement is listed as its text. */
function namesOf(sql: string): string[] {
  const text = sql.replace(/\s+/g, ' ').trim();
  if (background.some((pattern) => pattern.test(text))) return [];
  return [statementNames.find(([pattern]) => pattern.test(text))?.[1] ?? text];
}
