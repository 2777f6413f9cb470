import type { Configuration } from '../configuration/configuration';
import type * as Adapter from './otlp-tracing.adapter';
import { NoTracing, type Tracing } from './tracing';

/** Returns tracing as the deployment configures it: OpenTelemetry is loaded only if traces have a destination. */
export function openTracing({ env }: Configuration): Tracing {
  const endpoint = env.OTEL_EXPORTER_OTLP_ENDPOINT;
  if (endpoint === undefined) return new NoTracing();
  // Reason for the assertion: `require` is untyped.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it in every process
  const { OtlpTracing } = require('./otlp-tracing.adapter') as typeof Adapter;
  return OtlpTracing.to(endpoint, env.TRACE_CONTENT);
}
