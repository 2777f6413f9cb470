import {
  admissionVariables,
  audienceProblems,
  Configuration as PlatformConfiguration,
  connectionVariables,
  deprecationProblems,
  deprecationVariables,
  httpUrl,
  insecureProblems,
  insecureVariables,
  insecureWarnings,
  keysProblems,
  openInSandbox,
  operationVariables,
  operatorVariables,
  positiveInteger,
  readEnvironment,
  Rule,
  sandboxDefaults,
  serviceVariables,
  trueOrFalse,
  unknownVariables,
  userVariables,
  wholeNumber,
} from '@app/runtime';
import { makeValidator, str, type CleanedEnv } from 'envalid';
import { artifactVariables } from './artifact-variables';
import { auditVariables, witnessProblems } from './audit-variables';
import { insecureProviders, insecureProviderVariables } from './insecure-providers';
import { agentProblems, agentVariables } from './models/agent-variables';
import { fallbackProblems } from './models/model-fallbacks';
import { modelVariables, priceProblems } from './models/model-variables';
import { nearIntentsRules, providerVariables, sandboxWallets } from './provider-variables';
import { contextProblems, contextVariables } from './tools/context-variables';
import { mcpVariables } from './tools/mcp-variables';

const byteCount = makeValidator<number>((text) => {
  if (!/^[1-9][0-9]{0,14}$/.test(text)) throw new Rule('must be a whole number from 1 to 999999999999999');
  return Number(text);
});

/**
 * Every environment variable of the service, with its default and meaning: the one table (docs/decisions/configuration-and-start.md), in the
 * order of `docs/configuration.md`, which is generated from it. The groups of any service on the platform are `runtime`'s.
 */
export const variables = {
  ...serviceVariables,
  ...userVariables,
  OIDC_MAIN_ACCOUNT_CLAIM: str({
    default: undefined,
    desc: "Claim of user tokens that names the account where the user's withdrawals land; unset: a sandbox derives one",
  }),
  ...operatorVariables,
  // The deployment's capacity, and limits that keep one user from taking shared resources (docs/decisions/conventions.md,
  // "Shares and quotas").
  EXECUTION_CAPACITY: positiveInteger({ default: 64, desc: 'Run segments that may execute at once, deployment-wide' }),
  EXECUTION_CAPACITY_PER_USER: positiveInteger({
    default: undefined,
    desc: "How many of them may be one user's; unset: a quarter of EXECUTION_CAPACITY, at least 4",
  }),
  RETENTION_ARCHIVED_DAYS: positiveInteger({
    default: undefined,
    desc: 'Days after which the words and files of an archived conversation are closed for good (docs/privacy.md); unset: never',
  }),
  ARTIFACT_BYTES_PER_USER: byteCount({ default: 1_073_741_824, desc: 'Bytes of artifacts that a user can have' }),
  CONVERSATIONS_PER_USER: positiveInteger({
    default: 10_000,
    desc: 'Conversations that a user can have, besides archived ones',
  }),
  PENDING_APPROVALS_PER_USER: positiveInteger({
    default: 200,
    desc: 'Approvals of a user that can wait for a decision at once',
  }),
  PREPARED_WITHDRAWALS_PER_USER: positiveInteger({
    default: 20,
    desc: 'Withdrawals of a user that can be prepared and not yet confirmed at once',
  }),
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
  ...connectionVariables,
  ...artifactVariables,
  ...auditVariables,
  ...deprecationVariables,
  WEBHOOK_ALLOW_PRIVATE: trueOrFalse({
    default: undefined,
    desc: 'Lets webhooks be delivered to addresses that are not of the public internet; unset: in sandbox mode only',
  }),
  ...insecureVariables,
  ...insecureProviderVariables,
  // With these `parley` calls the operator API of a remote service; the service itself reads neither.
  PARLEY_URL: httpUrl({
    default: undefined,
    desc: 'Where `parley` reaches the service, with PARLEY_OPERATOR_TOKEN; one without the other is refused',
  }),
  PARLEY_OPERATOR_TOKEN: str({
    default: undefined,
    desc: 'Secret, the access token of an operator that `parley` calls the service at PARLEY_URL with; neither: it works on the stores themselves',
  }),
  ...operationVariables,
};

type Environment = CleanedEnv<typeof variables>;

/** The class that the platform injects too, here with every variable of the product. */
export const Configuration: new (env: Readonly<Environment>) => Configuration = PlatformConfiguration;
export type Configuration = PlatformConfiguration<Environment>;

/**
 * Reads and validates the environment. Throws all problems at once. An empty value, which compose files pass, is unset.
 * @throws ConfigurationError
 */
export function readConfiguration(environment: NodeJS.ProcessEnv): Configuration {
  return new Configuration(readEnvironment(environment, variables, problemsOf));
}

/** The conflicts between variables, in the order in which a start reports them. */
function problemsOf(given: NodeJS.ProcessEnv, valid: Partial<Environment>): readonly string[] {
  return [
    ...openInSandbox(given),
    ...sandboxWallets(given),
    ...sandboxDefaults(given),
    ...nearIntentsRules(given),
    ...insecureProblems(valid, insecureProviders(valid)),
    ...contextProblems(valid),
    ...fallbackProblems(valid),
    ...agentProblems(valid),
    ...priceProblems(given),
    ...deprecationProblems(given),
    ...keysProblems(given),
    ...witnessProblems(given),
    ...audienceProblems(given),
  ];
}

/** Warnings about a validated environment, in lines; to be shown at every start. */
export function configurationWarnings(environment: NodeJS.ProcessEnv, { env }: Configuration): string[] {
  return [
    ...insecureWarnings(env, insecureProviders(env)),
    ...contentWarnings(env),
    ...unknownVariables(environment, Object.keys(variables)),
  ];
}

function contentWarnings(env: Readonly<Environment>): string[] {
  if (!env.TRACE_CONTENT || env.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return [];
  return ['TRACE_CONTENT=true: traces hold what users and models write, and no erasure reaches the collector'];
}
