import { mintedAtMs, type StoredEvent } from '@app/event-store';
import type { Tracing } from '@app/runtime';

/** Maximum number of spans for one batch. */
const spansMax = 64;
/** Older events are not traced: a changed fold projects them again, long after their traces are of interest. */
const freshMs = 60_000;

/** Records in the traces of events that they were projected: one span for each trace and stream, under its first event. */
export function traceBatch(tracing: Tracing, events: readonly StoredEvent[], startedAtMs: number): void {
  const oldestMs = startedAtMs - freshMs;
  const groups = new Map<string, StoredEvent[]>();
  for (const stored of events) {
    if (mintedAtMs(stored.id) < oldestMs) continue;
    const key = `${stored.stream} ${stored.metadata.$correlationId}`;
    const earlier = groups.get(key);
    if (earlier !== undefined) earlier.push(stored);
    else if (groups.size < spansMax) groups.set(key, [stored]);
  }
  for (const group of groups.values()) traceGroup(tracing, group, startedAtMs);
}

function traceGroup(tracing: Tracing, [first, ...more]: readonly StoredEvent[], startedAtMs: number): void {
  if (first === undefined) return;
  const attributes = {
    'parley.stream': first.stream,
    'parley.request.id': first.metadata.requestId,
    'parley.events': 1 + more.length,
  };
  const cause = first.metadata.$correlationId;
  tracing.begin('project', { kind: 'consumer', cause, afterEvent: first.id, attributes, startedAtMs })?.end();
}
