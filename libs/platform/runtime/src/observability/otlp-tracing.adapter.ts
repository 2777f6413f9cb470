import { Logger, type OnApplicationShutdown } from '@nestjs/common';
import { diag, DiagLogLevel, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace, TraceFlags } from '@opentelemetry/api';
import type { Context, Span as OtelSpan, Tracer } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { defaultResource, resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor, RandomIdGenerator } from '@opentelemetry/sdk-trace-base';
import type { IdGenerator } from '@opentelemetry/sdk-trace-base';
import { AsyncLocalStorage } from 'node:async_hooks';
import { parseTraceParent, spanIdOfEvent, writeTraceParent, type TraceParent } from './trace-parent';
import { Tracing, type Span, type SpanAttributes, type SpanStart } from './tracing';

/** Maximum numbers of spans that wait to be sent (more are dropped), and of spans in a request. */
const bounds = { waitingMax: 4_096, perRequestMax: 512 };
/** The same for spans that may hold contents: at 64 KiB for each, no more memory than collectors accept in a request, 16 times. */
const boundsWithContent = { waitingMax: 1_024, perRequestMax: 64 };
const sendEveryMs = 1_000;
const sendWithinMs = 5_000;
/** How long the end of the process waits for the last spans to be sent. */
const flushWithinMs = 2_000;
const complainEveryMs = 60_000;

const kinds = {
  internal: SpanKind.INTERNAL,
  server: SpanKind.SERVER,
  client: SpanKind.CLIENT,
  consumer: SpanKind.CONSUMER,
} as const;

/** Sends spans in batches to an OpenTelemetry collector (OTLP over HTTP). A failure loses spans, and nothing else. */
export class OtlpTracing extends Tracing implements OnApplicationShutdown {
  readonly on = true;
  private readonly present = new AsyncLocalStorage<OpenSpan>();

  private constructor(
    private readonly provider: BasicTracerProvider,
    private readonly tracer: Tracer,
    private readonly ids: ChosenIds,
    private readonly withContent: boolean,
  ) {
    super();
  }

  /**
   * @param endpoint the collector's base URL, the value of OTEL_EXPORTER_OTLP_ENDPOINT
   * @param withContent whether spans may hold what persons, models and tools wrote
   */
  static to(endpoint: string, withContent: boolean): OtlpTracing {
    complainNowAndThen();
    const { waitingMax, perRequestMax } = withContent ? boundsWithContent : bounds;
    const ids = new ChosenIds();
    const exporter = new OTLPTraceExporter({
      url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
      timeoutMillis: sendWithinMs,
    });
    const batches = new BatchSpanProcessor(exporter, {
      maxQueueSize: waitingMax,
      maxExportBatchSize: perRequestMax,
      scheduledDelayMillis: sendEveryMs,
      exportTimeoutMillis: sendWithinMs,
    });
    const named = { 'service.name': process.env['OTEL_SERVICE_NAME'] ?? 'parley', 'process.pid': process.pid };
    const resource = defaultResource().merge(resourceFromAttributes(named));
    const provider = new BasicTracerProvider({ resource, idGenerator: ids, spanProcessors: [batches] });
    return new OtlpTracing(provider, provider.getTracer('parley'), ids, withContent);
  }

  begin(name: string, start: SpanStart): OpenSpan | null {
    const context = this.contextOf(start);
    if (context === null) return null;
    const { kind = 'internal', attributes = {}, startedAtMs, ofEvent } = start;
    if (ofEvent !== undefined) this.ids.nextSpanId = spanIdOfEvent(ofEvent);
    const startTime = startedAtMs === undefined ? {} : { startTime: startedAtMs };
    const options = { kind: kinds[kind], attributes: withOwnLists(attributes), ...startTime };
    return new OpenSpan(this.tracer.startSpan(name, options, context), this.withContent);
  }

  within<Value>(span: Span | null, work: () => Promise<Value>): Promise<Value> {
    return span instanceof OpenSpan ? this.present.run(span, work) : work();
  }

  async span<Value>(name: string, start: SpanStart, work: (span: Span | null) => Promise<Value>): Promise<Value> {
    const span = this.begin(name, start);
    try {
      const value = await this.within(span, () => work(span));
      span?.end();
      return value;
    } catch (error) {
      span?.end(error instanceof Error ? error.constructor.name : 'unknown');
      throw error;
    }
  }

  async onApplicationShutdown(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, flushWithinMs)));
    const flushed = this.provider.shutdown().catch(() => undefined); // the remainder could not be sent and is lost, and was logged
    await Promise.race([flushed, late]);
    clearTimeout(timer);
  }

  /** The span's parent; null if nothing is to be traced. */
  private contextOf({ cause, afterEvent }: SpanStart): Context | null {
    const caused = cause === undefined ? null : parseTraceParent(cause);
    if (afterEvent !== undefined) return caused && under({ ...caused, spanId: spanIdOfEvent(afterEvent) });
    const present = this.present.getStore();
    if (present !== undefined && (caused === null || caused.traceId === present.traceId)) return present.context;
    return caused === null ? ROOT_CONTEXT : under(caused);
  }
}

function under({ traceId, spanId, sampled }: TraceParent): Context {
  const traceFlags = sampled ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** The library's type of lists is not readonly. */
function withOwnLists(attributes: SpanAttributes): Record<string, string | number | boolean | string[]> {
  const own = (value: SpanAttributes[string]) => (typeof value === 'object' ? [...value] : value);
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [name, own(value)]));
}

class OpenSpan implements Span {
  readonly context: Context;
  readonly takesContent: boolean;
  private isFailed = false;

  constructor(
    private readonly span: OtelSpan,
    withContent: boolean,
  ) {
    this.context = trace.setSpan(ROOT_CONTEXT, span);
    this.takesContent = withContent && span.isRecording();
  }

  get traceId(): string {
    return this.span.spanContext().traceId;
  }

  get traceparent(): string {
    const { traceId, spanId, traceFlags } = this.span.spanContext();
    return writeTraceParent({ traceId, spanId, sampled: (traceFlags & TraceFlags.SAMPLED) !== 0 });
  }

  set(attributes: SpanAttributes): void {
    this.span.setAttributes(withOwnLists(attributes));
  }

  fail(kind: string): void {
    if (this.isFailed) return;
    this.isFailed = true;
    this.span.setAttribute('error.type', kind).setStatus({ code: SpanStatusCode.ERROR });
  }

  end(failedBy?: string): void {
    if (failedBy !== undefined) this.fail(failedBy);
    this.span.end();
  }
}

/** Random ids, except for the span whose id was chosen just before it begins. */
class ChosenIds implements IdGenerator {
  nextSpanId: string | null = null;
  private readonly random = new RandomIdGenerator();

  generateTraceId(): string {
    return this.random.generateTraceId();
  }

  generateSpanId(): string {
    const chosen = this.nextSpanId ?? this.random.generateSpanId();
    this.nextSpanId = null;
    return chosen;
  }
}

/** Logs the library's own complaints, without their texts, which may be the collector's. */
function complainNowAndThen(): void {
  const logger = new Logger('Tracing');
  let quietUntilMs = 0;
  const complain = (): void => {
    if (performance.now() < quietUntilMs) return;
    quietUntilMs = performance.now() + complainEveryMs;
    logger.warn('traces could not be sent to OTEL_EXPORTER_OTLP_ENDPOINT, and some are lost');
  };
  const silent = (): void => undefined;
  const sink = { error: complain, warn: complain, info: silent, debug: silent, verbose: silent };
  diag.setLogger(sink, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
}
