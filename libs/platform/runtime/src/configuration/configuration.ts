import { bool, cleanEnv, EnvMissingError, port, str, type CleanedEnv } from 'envalid';
import { admissionVariables } from './product/admission-variables';
import { artifactVariables } from './product/artifact-variables';
import { auditVariables, needsTooMany } from './product/audit-variables';
import { commandLineVariables } from './command-line-variables';
import { connectionVariables } from './connection-variables';
import { contextProblems, contextVariables } from './product/context-variables';
import { deprecationVariables, endsTooSoon } from './deprecation-variables';
import { identityVariables, leavesKeysOpen, sharesAudience } from './identity-variables';
import { insecureWarnings, insecureVariables, insecureProblems } from './insecure-variables';
import { mcpVariables } from './product/mcp-variables';
import { agentProblems, agentVariables } from './product/agent-variables';
import { fallbackProblems } from './product/model-fallbacks';
import { modelVariables, offersUnpriced } from './product/model-variables';
import { nearIntentsRules } from './product/near-intents-rules';
import { providerVariables } from './product/provider-variables';
import { openInSandbox, sandboxDefaults } from './sandbox-defaults';
import { shareVariables } from './share-variables';
import { unknownVariables } from './unknown-variables';
import {
  eventStoreUrl,
  httpUrl,
  partitions,
  positiveInteger,
  postgresUrl,
  libraryForm,
  Rule,
  secretKey,
  wholeNumber,
} from './variable-rules';

const defaultDataDir = '.parley';

/**
 * Every environment variable of the service, with its default and meaning: the one table (docs/decisions/configuration-and-start.md).
 * `docs/configuration.md` is generated from it.
 */
export const variables = {
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
  PARLEY_SECRET_KEY: secretKey({
    default: undefined,
    requiredWhen: (env) => env['PARLEY_MODE'] === 'production',
    desc: 'Secret, 32 bytes or more in base64: authenticates cursors and seals secrets; generated in sandbox mode',
  }),
  ...identityVariables,
  WEB_ORIGIN: str({ default: undefined, desc: "The one browser origin allowed; unset: only the service's own" }),
  EXECUTION_CAPACITY: positiveInteger({ default: 64, desc: 'Run segments that may execute at once, deployment-wide' }),
  ...shareVariables,
  BUDGET_DAY_CENTS: wholeNumber({ default: 500, desc: 'Spend cap of a user for a UTC day, in cents' }),
  BUDGET_MONTH_CENTS: wholeNumber({ default: 5000, desc: 'Spend cap of a user for a UTC month, in cents' }),
  RUN_RESERVATION_CENTS: positiveInteger({
    default: 25,
    desc: 'Cents reserved for each run segment when it is admitted',
  }),
  ...mcpVariables,
  ...contextVariables,
  ...modelVariables,
  ...agentVariables,
  MODEL_HISTORY_TOKENS: positiveInteger({
    default: 16_000,
    desc: 'Bound of the earlier turns that a model is shown, in tokens of about three bytes; the oldest are left out',
  }),
  RULES_STEP_MICRO_CENTS: wholeNumber({
    default: 1_000_000,
    desc: 'Price of one step of the model parley/rules, in millionths of a cent',
  }),
  ...providerVariables,
  WITHDRAWAL_APPROVAL_SECONDS: positiveInteger({
    default: 900,
    desc: 'How long a prepared withdrawal can be confirmed, in seconds',
  }),
  TOOL_APPROVAL_SECONDS: positiveInteger({
    default: 86_400,
    desc: "How long an approval of an agent's tool call can be decided, in seconds",
  }),
  AUTOMATIONS_PER_USER: positiveInteger({
    default: 100,
    desc: 'Automations that a user can have, besides archived ones',
  }),
  AUTOMATION_APPROVAL_SECONDS: positiveInteger({
    default: 604_800,
    desc: "How long an approval of an automation's contract can be decided, in seconds",
  }),
  ...admissionVariables,
  STREAMS_PER_USER: positiveInteger({ default: 8, desc: 'Open event streams per user' }),
  ...connectionVariables,
  BODY_LIMIT_BYTES: positiveInteger({ default: 256 * 1024, desc: 'Largest JSON body, in bytes' }),
  ...artifactVariables,
  ...auditVariables,
  ...deprecationVariables,
  ...insecureVariables,
  ...commandLineVariables,
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
  LOG_REQUESTS: bool({
    default: true,
    desc: 'Write one log line for each request, and for each segment of a run that was executed',
  }),
  OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl({
    default: undefined,
    desc: 'Base URL of an OpenTelemetry collector (OTLP over HTTP), which gets traces; its OTEL_EXPORTER_OTLP_HEADERS and OTEL_TRACES_SAMPLER count as well; unset: nothing is traced',
  }),
};

export type Environment = CleanedEnv<typeof variables>;

/** The validated configuration of a process; injected wherever a setting is needed. */
export class Configuration {
  constructor(readonly env: Readonly<Environment>) {}

  get sandbox(): boolean {
    return this.env.PARLEY_MODE === 'sandbox';
  }

  /** The URL at which this process listens. */
  get baseUrl(): string {
    const host = this.env.HOST.includes(':') ? `[${this.env.HOST}]` : this.env.HOST;
    return `http://${host}:${this.env.PORT}`;
  }

  /** The URL under which partners reach the service, without a slash at the end. */
  get publicUrl(): string {
    return (this.env.PUBLIC_URL ?? this.baseUrl).replace(/\/+$/, '');
  }

  /** The issuers whose user tokens are accepted; the built-in one in a sandbox that names no other. */
  get issuers(): readonly string[] {
    return this.env.OIDC_ISSUER ?? [`${this.baseUrl}/sandbox/issuer`];
  }

  /** The issuer of operators' tokens: a sandbox's own, unless another one is named; null if there is no operator API. */
  get operatorIssuer(): string | null {
    return this.env.OPERATOR_ISSUER ?? this.issuers.find((issuer) => this.isOwnIssuer(issuer)) ?? null;
  }

  /** The issuer in whose name a sandbox mints tokens: its own one, if it is among the accepted ones. */
  get sandboxIssuer(): string {
    const [first = ''] = this.issuers;
    return this.issuers.find((issuer) => this.isOwnIssuer(issuer)) ?? first;
  }

  /**
   * Whether an issuer is this deployment's own sandbox, whose tokens use the service clock (docs/decisions/sandbox.md). Replicas on several
   * ports name the issuer of one of them as OIDC_ISSUER.
   */
  isOwnIssuer(issuer: string): boolean {
    return this.sandbox && issuer.endsWith('/sandbox/issuer');
  }

  /** Tolerated difference between an issuer's clock and ours; 0 for the own issuer, which uses the same clock. */
  clockSkewMsOf(issuer: string): number {
    return this.isOwnIssuer(issuer) ? 0 : this.env.OIDC_CLOCK_SKEW_SECONDS * 1000;
  }
}

/** All problems of the environment, in one message that contains names and rules but no values. */
export class ConfigurationError extends Error {}

/**
 * Reads and validates the environment. Throws all problems at once. An empty value, which compose files pass, is unset.
 * @throws ConfigurationError
 */
export function readConfiguration(environment: NodeJS.ProcessEnv): Configuration {
  const given: NodeJS.ProcessEnv = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const env = cleanEnv(given, variables, {
    reporter: ({ errors, env: valid }) => {
      const broken = Object.entries(errors).map(([name, error]) => `  ${name}: ${describe(name, error)}`);
      for (const name of openInSandbox(given)) broken.push(`  ${name}: sandbox mode listens on loopback only`);
      broken.push(...sandboxDefaults(given, defaultDataDir).map((rule) => `  ${rule}`));
      broken.push(...nearIntentsRules(given).map((rule) => `  ${rule}`));
      // Reason for the assertion: envalid passes the valid values, and types them unknown.
      const passed = valid as Partial<Environment>;
      broken.push(
        ...[
          ...insecureProblems(passed),
          ...contextProblems(passed),
          ...fallbackProblems(passed),
          ...agentProblems(passed),
        ].map((rule) => `  ${rule}`),
      );
      if (offersUnpriced(given)) broken.push('  MODEL_PRICES: must price every model of MODEL_NAME and MODEL_ALLOWED');
      if (endsTooSoon(given))
        broken.push('  V1_SUNSET_AT: must be set with V1_DEPRECATED_AT, six months or more after it');
      if (leavesKeysOpen(given)) broken.push('  OIDC_JWKS_URI: must go with one OIDC_ISSUER, whose keys they are');
      if (needsTooMany(given)) broken.push('  WITNESSES_NEEDED: must be no more than there are WITNESSES');
      if (sharesAudience(given)) broken.push('  OPERATOR_AUDIENCE: must be none of OIDC_AUDIENCE');
      if (broken.length > 0) throw new ConfigurationError(`The environment is not valid:\n${broken.join('\n')}`);
    },
  });
  return new Configuration(env);
}

/** Warnings about a validated environment, in lines; to be shown at every start. */
export function configurationWarnings(environment: NodeJS.ProcessEnv, { env }: Configuration): string[] {
  return [...insecureWarnings(env), ...unknownVariables(environment, Object.keys(variables))];
}

function describe(name: string, error: Error): string {
  if (error instanceof EnvMissingError) return 'must be set';
  if (error instanceof Rule) return error.message;
  const all: Readonly<Record<string, { readonly choices?: readonly unknown[]; readonly desc?: string }>> = variables;
  const known = all[name];
  if (known?.choices !== undefined) return `must be one of ${known.choices.join(', ')}`;
  return libraryForm(error) ?? `is not understood (${known?.desc ?? 'unknown'})`;
}
