import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

const waitMsMax = 10_000;

/** A span as received. */
export interface ReceivedSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Record<string, unknown> }[];
  readonly status: { readonly code: number };
}

interface TracesBody {
  readonly resourceSpans: readonly { readonly scopeSpans: readonly { readonly spans: readonly ReceivedSpan[] }[] }[];
}

/**
 * An OpenTelemetry collector on loopback that keeps everything it is sent (OTLP over HTTP, in JSON). It refuses what
 * the OpenTelemetry Collector refuses: another path (404), another method (405), a body that is not declared as JSON
 * (415), and one that is not traces or whose ids are not hexadecimal (400).
 *
 * Source: the pages of OTLP, "OTLP/HTTP Request" and "OTLP/HTTP Response"; open-telemetry/opentelemetry-collector,
 * receiver/otlpreceiver/otlphttp.go (the refusals).
 */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = [];
  /** All bodies as received. */
  text = '';
  requests = 0;

  private constructor(private readonly server: Server) {
    server.on('request', (request, response) => {
      this.requests += 1;
      let body = '';
      request.setEncoding('utf8');
      request.on('data', (chunk: string) => (body += chunk));
      request.on('end', () => {
        response.writeHead(refusalOf(request) ?? this.record(body), { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  static async start(): Promise<OtlpReceiver> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new OtlpReceiver(server);
  }

  /** The value for OTEL_EXPORTER_OTLP_ENDPOINT. */
  get endpoint(): string {
    // Reason for the assertion: a server that listens on TCP has such an address.
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /**
   * Waits until the spans of a trace satisfy the condition, and returns them. Throws, naming the spans so far, if they
   * do not in time.
   */
  async trace(
    traceId: string,
    complete: (spans: readonly ReceivedSpan[]) => boolean,
  ): Promise<readonly ReceivedSpan[]> {
    const deadlineMs = performance.now() + waitMsMax;
    for (;;) {
      const spans = this.spans.filter((span) => span.traceId === traceId);
      if (complete(spans)) return spans;
      if (performance.now() > deadlineMs) throw new Error(`incomplete: ${spans.map(({ name }) => name).join(', ')}`);
      await sleep(50);
    }
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await once(this.server.close(), 'close');
  }

  /** Keeps the spans; returns the status that says whether it could. */
  private record(body: string): number {
    this.text += body;
    const spans = spansIn(body);
    if (spans === null) return 400;
    this.spans.push(...spans);
    return 200;
  }
}

/** Returns the status that refuses a request before its body is read; null if nothing is wrong with it. */
function refusalOf({ url, method, headers }: IncomingMessage): number | null {
  if (url !== '/v1/traces') return 404;
  if (method !== 'POST') return 405;
  return headers['content-type']?.split(';')[0] === 'application/json' ? null : 415;
}

/** Returns null if it is not a body of traces, or an id in it is not hexadecimal. */
function spansIn(body: string): ReceivedSpan[] | null {
  try {
    // Reason for the assertion: another shape throws here, or has no ids, and is refused.
    const { resourceSpans } = JSON.parse(body) as TracesBody;
    const spans = resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((scope) => scope.spans));
    return spans.every(({ traceId, spanId }) => /^[0-9a-f]{32}$/i.test(traceId) && /^[0-9a-f]{16}$/i.test(spanId))
      ? spans
      : null;
  } catch {
    return null; // the sender is answered with 400
  }
}

/** Returns the values of a span's attributes. */
export function attributesOf({ attributes }: ReceivedSpan): Record<string, unknown> {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, plainValue(value)]));
}

/** A value of OTLP names its type: `{stringValue: …}`, `{arrayValue: {values: […]}}`. */
function plainValue(value: Record<string, unknown>): unknown {
  const [plain] = Object.values(value);
  if (!('arrayValue' in value)) return plain;
  // Reason for the assertion: an array of OTLP is an object with its values.
  return (plain as { readonly values: readonly Record<string, unknown>[] }).values.map(plainValue);
}

/** Returns the names from the topmost received span down to this one, as a path. */
export function pathOf(span: ReceivedSpan, spans: readonly ReceivedSpan[]): string {
  const parent = spans.find(({ spanId }) => spanId === span.parentSpanId);
  return parent === undefined ? span.name : `${pathOf(parent, spans)} > ${span.name}`;
}
