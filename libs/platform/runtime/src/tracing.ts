/** Ids, counts and names out of our own code; never contents, and nothing that a partner, a model or a provider wrote. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

export interface SpanStart {
  /**
   * The correlation id of what causes it, or a `traceparent` header. Where it is a W3C traceparent, the span belongs to that trace:
   * under the present span if that does as well, else directly under the one that it names. Otherwise it is under the present span.
   */
  readonly cause?: string | undefined;
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** The id of the event that it stands for: `afterEvent` finds the span by it, in any process. */
  readonly ofEvent?: string;
  /** The event that it follows, in the trace of the cause; nothing is traced when the cause is of no trace. */
  readonly afterEvent?: string;
  /** When it began, if not now; milliseconds of the epoch. */
  readonly startedAtMs?: number;
}

/** A piece of work that is being traced. */
export interface Span {
  /** Names it as others' cause (W3C Trace Context): as a correlation id it lives in the metadata of events. */
  readonly traceparent: string;
  set(attributes: SpanAttributes): void;
  /** Once; `failedBy` names a kind of error, and is never its message. */
  end(failedBy?: string): void;
}

/** What a process tells of the way that its work takes. Bound once by the composition root. */
export abstract class Tracing {
  /** Whether anything is traced; costly attributes need not be gathered otherwise. */
  abstract readonly on: boolean;
  /** Begins a span that its caller ends; null when nothing is traced. */
  abstract begin(name: string, start: SpanStart): Span | null;
  /** Does the work with this as the present span; null leaves the present one. */
  abstract within<Value>(span: Span | null, work: () => Promise<Value>): Promise<Value>;
  /** Does the work in a span of its own, which fails when the work does. */
  abstract span<Value>(name: string, start: SpanStart, work: (span: Span | null) => Promise<Value>): Promise<Value>;
}

/** Tracing is off: the work is done and nothing else. */
export class NoTracing extends Tracing {
  readonly on = false;

  begin(): null {
    return null;
  }

  within<Value>(_span: null, work: () => Promise<Value>): Promise<Value> {
    return work();
  }

  span<Value>(_name: string, _start: SpanStart, work: (span: null) => Promise<Value>): Promise<Value> {
    return work(null);
  }
}
