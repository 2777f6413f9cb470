export { abortAfter } from './waiting/abort-after';
export { polledGauges } from './observability/polled-gauges';
export { Configuration } from './configuration/configuration';
export { AnswerTooLong, bodyWithin } from './waiting/body-within';
export { FairTurns, TooManyWaiting } from './waiting/fair-turns';
export { endingWith, fetchWithoutRedirects } from './waiting/fetch-without-redirects';
export { isHttpUrl, wrongInCalledUrl, wrongInHttpUrl } from './http-urls';
export { GroupLoader } from './waiting/group-loader';
export {
  byHttps,
  insecureProblems,
  insecureVariables,
  insecureWarnings,
  isClearHttp,
  isOnThisMachine,
  type Insecure,
} from './configuration/insecure-variables';
export { createPino, hasReadableLogs, PinoNestLogger, silenceLogs } from './observability/logging';
export { gaugeBy, Metrics } from './observability/metrics';
export { openTracing } from './observability/open-tracing';
export { Probe, type ProbePoint } from './probe';
export { retryAfterMs } from './waiting/retry-after';
export { Sealing } from './sealing';
export type { SealedRow, SealedTable } from './sealed-table';
export { settledWithin } from './waiting/settled-within';
export { SystemClock } from './system-clock';
export { unlessAborted } from './waiting/unless-aborted';
export { NoTracing, Tracing, type Span, type SpanAttributes, type SpanStart } from './observability/tracing';
export { admissionVariables } from './configuration/admission-variables';
export { connectionVariables } from './configuration/connection-variables';
export { deprecationProblems, deprecationVariables } from './configuration/deprecation-variables';
export { audienceProblems, keysProblems, operatorVariables, userVariables } from './configuration/identity-variables';
export { ConfigurationError, readEnvironment } from './configuration/read-environment';
export { openInSandbox, sandboxDefaults } from './configuration/sandbox-defaults';
export { secretKeysIn } from './configuration/secret-keys';
export { operationVariables, serviceVariables } from './configuration/service-variables';
export { unknownVariables } from './configuration/unknown-variables';
export { httpUrl, positiveInteger, Rule, trueOrFalse, wholeNumber } from './configuration/variable-rules';
