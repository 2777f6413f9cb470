import { EventStore } from '@app/event-store';
import { Database } from '@app/read-store';

/** What a path asked of the stores, one word for each time, sorted. */
export interface Hops {
  /** Streams that were appended to, by category. */
  readonly appends: readonly string[];
  /** Streams that were read, by category; `end` is the look for where the read models’ events end. */
  readonly reads: readonly string[];
  /** Statements, by the table or function that they are about, and those that notify. */
  readonly statements: readonly string[];
}

/** What goes on all the time, no matter who calls: heartbeats, looks, checkpoints, sweeps, clocks and gauges. */
const background = [
  /^INSERT INTO processes/,
  /^DELETE FROM processes/,
  /^SELECT EXISTS \(SELECT 1 FROM processes/,
  /^SELECT DISTINCT unnest\(troubles\)/,
  /^SELECT pg_notify\('parley_read_models'/,
  /^UPDATE execution_slots AS s SET worker_id/, // a look for what nobody told of
  /^WITH held AS \( UPDATE execution_slots/, // the renewal of leases
  /^DELETE FROM execution_slots AS s WHERE EXISTS/, // these three are the watchdog's
  /^SELECT b\.user_id .* FROM \{budget_reservations\} AS b/,
  /^SELECT run_key .* NOT EXISTS \(SELECT 1 FROM execution_slots/,
  /reactor_checkpoints/,
  /read_model_tables/,
  /read_model_positions/,
  /projector_partitions/, // how many share the read models
  /^SELECT \* FROM "\w+" WHERE "\w+" = ANY/, // rows that the projector does not know
  /^WITH due AS/, // a look for due timers
  /^SELECT min\(due_at_ms\)/,
  /stream_sockets/,
  /transparency_/, // a checkpoint each minute
  /sandbox_/,
  /clock_offset_ms/,
  /ledger_/, // what the sandbox's provider asks of its own ledger
  /^SELECT public_key, sealed FROM wallet_keys/, // and what it signs with
  /FROM source_samples WHERE/, // these four are looks for what has no timer
  /FROM \{automations\} AS a WHERE/,
  /FROM \{occurrences\} AS o JOIN \{automations\}/,
  /FROM \{automations\}, jsonb_array_elements/,
  /^SELECT o\.id FROM \{financial_operations\}/,
  /pg_notify\(\$1, payload\)/, // what a model says, as it says it
  /snapshots/,
  /current_setting/,
  /FROM \{partner_keys\}/, // a key is found out once a minute
];

/** Words for statements: the first whose pattern fits. */
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
  [/FROM \{financial_operations\}, jsonb_array_elements/, 'sum what is on its way'],
];

/** Counts what this process asks of its stores while the path is gone, to its end. */
export async function hopsOf(path: () => Promise<unknown>): Promise<Hops> {
  const appends = jest.spyOn(EventStore.prototype, 'append');
  const reads = [
    jest.spyOn(EventStore.prototype, 'readStream'),
    jest.spyOn(EventStore.prototype, 'readStreamWhile'),
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
      // The operators' controls and their log are read again and again, and checkpoints are made each minute, no matter who asks.
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

/** No word for what goes on in the background; a statement that is not known is told as it is. */
function namesOf(sql: string): string[] {
  const text = sql.replace(/\s+/g, ' ').trim();
  if (background.some((pattern) => pattern.test(text))) return [];
  return [statementNames.find(([pattern]) => pattern.test(text))?.[1] ?? text];
}
