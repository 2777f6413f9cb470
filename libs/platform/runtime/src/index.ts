export { abortAfter } from './waiting/abort-after';
export { polledGauges } from './observability/polled-gauges';
export type { WitnessAddress } from './configuration/product/audit-variables';
export {
  Configuration,
  ConfigurationError,
  configurationWarnings,
  readConfiguration,
} from './configuration/configuration';
export type { ConsentTemplate } from './configuration/product/consent-template';
export { AnswerTooLong, bodyWithin } from './waiting/body-within';
export { endingWith, fetchWithoutRedirects } from './waiting/fetch-without-redirects';
export { GroupLoader } from './waiting/group-loader';
export { isOnThisMachine } from './configuration/insecure-variables';
export { createPino, hasReadableLogs, PinoNestLogger, silenceLogs } from './observability/logging';
export type {
  McpClientCredentials,
  McpServerSettings,
  McpToolSettings,
  McpTransport,
} from './configuration/product/mcp-variables';
export { Metrics } from './observability/metrics';
export type { ModelConnection } from './configuration/product/model-fallbacks';
export type { ModelPrice } from './configuration/product/model-prices';
export { ModelFaults, NoFaults, type ModelFault } from './configuration/product/model-faults';
export { openTracing } from './observability/open-tracing';
export { Probe, type ProbePoint } from './probe';
export { retryAfterMs } from './waiting/retry-after';
export { Sealing } from './sealing';
export { settledWithin } from './waiting/settled-within';
export { SystemClock } from './system-clock';
export { unlessAborted } from './waiting/unless-aborted';
export { NoTracing, Tracing, type Span, type SpanAttributes } from './observability/tracing';
