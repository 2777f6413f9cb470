/** A span as W3C Trace Context identifies it. */
export interface TraceParent {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly sampled: boolean;
}

const format = /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;
const sampledFlag = 1;

/** Parses a `traceparent` (W3C Trace Context, 3.2); null for any other text. Additional parts of later versions are ignored. */
export function parseTraceParent(text: string): TraceParent | null {
  const [, version, traceId, spanId, flags, more] = format.exec(text) ?? [];
  if (version === undefined || traceId === undefined || spanId === undefined || flags === undefined) return null;
  if (version === 'ff' || (version === '00' && more !== undefined)) return null;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return null;
  return { traceId, spanId, sampled: (parseInt(flags, 16) & sampledFlag) === sampledFlag };
}

export function writeTraceParent({ traceId, spanId, sampled }: TraceParent): string {
  return `00-${traceId}-${spanId}-${sampled ? '01' : '00'}`;
}

/** The id of the span of an event: the random half of the event's own id (UUIDv7). */
export function spanIdOfEvent(eventId: string): string {
  return eventId.replaceAll('-', '').slice(16);
}
