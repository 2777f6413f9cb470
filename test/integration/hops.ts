import { EventStore } from '@app/event-store';
import { Database } from '@app/read-store';

/** What a path asked of the stores, one word for each time, sorted. */
export interface Hops {
  /** Streams that were appended to, by category. */
  readonly appends: readonly string[];
  /** Streams that were read, by category. */
  readonly reads: readonly string[];
  /** Statements, by the table or function that they are about, and those that notify. */
  readonly statements: readonly string[];
}

/** What goes on all the time, whoever calls: heartbeats, looks, checkpoints, sweeps, clocks and gauges. */
const background = [
  /^INSERT INTO processes/,
  /^DELETE FROM processes/,
  /^SELECT EXISTS \(SELECT 1 FROM processes/,
  /^SELECT DISTINCT unnest\(troubles\)/,
  /^SELECT pg_notify\('parley_projected'/,
  /^UPDATE execution_slots AS s SET worker_id/, // a look for what nobody told of
  /^WITH held AS \( UPDATE execution_slots/, // the renewal of leases
  /^DELETE FROM execution_slots AS s WHERE EXISTS/, // these three are the watchdog's
  /^SELECT b\.user_id .* FROM budget_reservations AS b/,
  /^SELECT run_key .* NOT EXISTS \(SELECT 1 FROM execution_slots/,
  /reactor_checkpoints/,
  /projection_checkpoints/,
  /^WITH due AS/, // a look for due timers
  /^SELECT min\(due_at_ms\)/,
  /stream_sockets/,
  /sandbox_/,
  /clock_offset_ms/,
  /pg_notify\(\$1, payload\)/, // what a model says, as it says it
  /snapshots/,
  /current_setting/,
];

/** Words for statements: the first whose pattern fits. */
const statementNames: readonly (readonly [RegExp, string])[] = [
  [/take_execution_slots/, 'take slots'],
  [/release_execution_slots/, 'release slots'],
  [/take_from_rate_windows/, 'take from rate windows'],
  [/FROM users WHERE user_id = ANY/, 'find accounts'],
  [/FROM partner_keys/, 'find keys'],
  [/FROM approvals/, 'find the approval'],
  [/^DELETE FROM timers USING/, 'remove timers'],
  [/INTO timers/, 'schedule a timer'],
  [/automation_checks/, 'keep looks'],
  [/FROM list_counters/, 'count conversations'],
];

/** Counts what this process asks of its stores while the path is gone, to its end. */
export async function hopsOf(path: () => Promise<unknown>): Promise<Hops> {
  const appends: string[] = [];
  const reads: string[] = [];
  const statements: string[] = [];
  const category = (stream: string) => stream.slice(0, stream.indexOf('-'));
  const spies = [
    spyOn(EventStore.prototype, 'append', (stream) => appends.push(category(stream))),
    spyOn(EventStore.prototype, 'readStream', (stream) => reads.push(category(stream))),
    spyOn(EventStore.prototype, 'readStreamWhile', (stream) => reads.push(category(stream))),
    spyOn(EventStore.prototype, 'readStreamBackwards', (stream) => reads.push(category(stream))),
    spyOn(Database.prototype, 'query', (sql) => statements.push(...nameOf(sql))),
  ];
  try {
    await path();
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  // The operators' controls are read anew each half second, whoever asks.
  const own = reads.filter((stream) => stream !== 'deployment');
  return { appends: appends.sort(), reads: own.sort(), statements: statements.sort() };
}

/** Calls through, after it has told of the first argument. */
function spyOn<Name extends string>(
  prototype: Record<Name, (first: string, ...rest: never[]) => Promise<unknown>>,
  name: Name,
  tell: (first: string) => void,
) {
  const original = prototype[name];
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- the types of a spy follow from the method that it replaces
  return jest.spyOn(prototype as any, name).mockImplementation(function (this: unknown, ...given: unknown[]) {
    tell(String(given[0]));
    // Reason for the assertion: the arguments are those of the method itself.
    return original.apply(this as never, given as never);
  });
}

/** No word for what goes on in the background; a statement that is not known is told as it is. */
function nameOf(sql: string): string[] {
  const text = sql.replace(/\s+/g, ' ').trim();
  if (background.some((pattern) => pattern.test(text))) return [];
  return [statementNames.find(([pattern]) => pattern.test(text))?.[1] ?? text];
}
