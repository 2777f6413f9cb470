import { port, str } from 'envalid';
import {
  eventStoreUrl,
  httpUrl,
  partitions,
  positiveInteger,
  postgresUrl,
  secretKeyList,
  trueOrFalse,
} from './variable-rules';

export const defaultDataDir = '.parley';

/** The environment variables of a service's mode, addresses, stores and secret. */
export const serviceVariables = {
  PARLEY_MODE: str({
    choices: ['sandbox', 'production'] as const,
    default: 'sandbox',
    desc: 'sandbox adds /sandbox/v1 and a built-in issuer on loopback; production refuses every sandbox default',
  }),
  HOST: str({ default: '127.0.0.1', desc: 'Address to listen on; sandbox mode accepts loopback only' }),
  PORT: port({ default: 8080, desc: 'Port of the partner API' }),
  PUBLIC_URL: httpUrl({
    default: undefined,
    desc: 'Where partners reach the service, as its published documents name it; unset: HOST and PORT',
  }),
  MANAGEMENT_HOST: str({
    default: '127.0.0.1',
    desc: 'Address of the management port; wider than loopback only where nobody but a Prometheus reaches it',
  }),
  MANAGEMENT_PORT: port({ default: 9464, desc: 'Port of GET /metrics, /healthz and /readyz of every process' }),
  PARLEY_DATA_DIR: str({
    default: defaultDataDir,
    desc: 'Folder of the embedded stores, of artifacts and of generated sandbox secrets',
  }),
  DATABASE_URL: postgresUrl({ default: undefined, desc: 'PostgreSQL; unset: the embedded one (npm start only)' }),
  EVENTSTORE_URL: eventStoreUrl({
    default: undefined,
    desc: 'EventStoreDB or KurrentDB (esdb://…), or unix:/path of an embedded event store; unset: embedded (npm start only)',
  }),
  PARLEY_SECRET_KEY: secretKeyList({
    default: undefined,
    requiredWhen: (env) => env['PARLEY_MODE'] === 'production',
    desc:
      'Secret, 32 bytes or more in base64: authenticates cursors and seals secrets; or up to 8 of them with commas between, newest first: ' +
      'the first one seals, each opens (docs/production.md, "Change the secret key"); generated in sandbox mode',
  }),
};

/** The environment variables of projections, the database's connections, draining, logs and traces. */
export const operationVariables = {
  PROJECTION_PARTITIONS: partitions({
    default: 1,
    desc: 'Partitions of the owners of streams, which workers share to fill read models; of the worker that started last',
  }),
  DATABASE_POOL_SIZE: positiveInteger({
    default: 10,
    desc: 'PostgreSQL connections per process, besides one that listens and, in a worker, one that holds what it leads',
  }),
  DATABASE_TIMEOUT_MS: positiveInteger({
    default: 30_000,
    desc: 'How long one statement may take in PostgreSQL, in milliseconds; a server that says nothing for a second longer is taken for lost',
  }),
  DRAIN_SECONDS: positiveInteger({ default: 10, desc: 'How long a stopping process waits for requests in flight' }),
  LOG_LEVEL: str({
    choices: ['debug', 'info', 'warn', 'error', 'silent'] as const,
    default: 'info',
    desc: 'Least severe log line that is written',
  }),
  LOG_FORMAT: str({
    choices: ['auto', 'json', 'pretty'] as const,
    default: 'auto',
    desc: 'json: a line of JSON for machines; pretty: one for people; auto: pretty in a terminal, else json',
  }),
  LOG_REQUESTS: trueOrFalse({
    default: true,
    desc: 'Write one log line for each request, and for each segment of a run that was executed',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({
    default: undefined,
    desc: 'Base URL of an OpenTelemetry collector (OTLP over HTTP), which gets traces; its OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER count as well; unset: nothing is traced',
  }),
  TRACE_CONTENT: trueOrFalse({
    default: false,
    desc: 'Puts what users and models write, and the inputs and results of tools, into traces, where no erasure reaches them (docs/privacy.md); a warning at every start',
  }),
};
