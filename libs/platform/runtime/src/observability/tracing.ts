/**
 * Ids, counts and names from our own code, or that the configuration names. What a person, a partner, a model or a tool wrote is added only
 * to a span that takes contents.
 */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | readonly string[]>>;

export interface SpanStart {
  /**
   * The correlation id of the cause, or a `traceparent` header. If it is a W3C traceparent, the span belongs to that trace: under the
   * present span if that is in the same trace, otherwise directly under the span that it names. If it is not one, the span is under the
   * present span.
   */
  readonly cause?: string | undefined;
  readonly kind?: 'internal' | 'server' | 'client' | 'consumer';
  readonly attributes?: SpanAttributes;
  /** The id of the event that the span represents: `afterEvent` finds the span by it, in any process. */
  readonly ofEvent?: string;
  /** The event that it follows, in the trace of the cause; nothing is traced if the cause has no trace. */
  readonly afterEvent?: string;
  /** When it began, if not now; milliseconds since the epoch. */
  readonly startedAtMs?: number;
}

/** A traced piece of work. */
export interface Span {
  /** Identifies the span as the cause of other work (W3C Trace Context); it is stored in the metadata of events as the correlation id. */
  readonly traceparent: string;
  /** Whether contents may be among its attributes: the deployment says so (TRACE_CONTENT), and the span is sent. */
  readonly takesContent: boolean;
  set(attributes: SpanAttributes): void;
  /** Marks it as failed; `kind` is a kind of error as for `end`. The first mark counts. */
  fail(kind: string): void;
  /** To be called once; `failedBy` names a kind of error, and is never its message. */
  end(failedBy?: string): void;
}

/** Traces a process's work. Bound once by the composition root. */
export abstract class Tracing {
  /** Whether anything is traced; if not, costly attributes need not be computed. */
  abstract readonly on: boolean;
  /** Begins a span that its caller ends; null if nothing is traced. */
  abstract begin(name: string, start: SpanStart): Span | null;
  /** Does the work with this as the present span; null keeps the present one. */
  abstract within<Value>(span: Span | null, work: () => Promise<Value>): Promise<Value>;
  /** Does the work in a span of its own, which fails if the work does. */
  abstract span<Value>(name: string, start: SpanStart, work: (span: Span | null) => Promise<Value>): Promise<Value>;
}

/** No tracing: only the work is done. */
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
