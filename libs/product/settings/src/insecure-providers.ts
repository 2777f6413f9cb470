import { byHttps, type Insecure, isClearHttp, trueOrFalse } from '@app/runtime';
import type { ModelFallback } from './models/model-fallbacks';
import { serverUrls, type McpServerSettings } from './tools/mcp-variables';

/** The allowance without which production refuses providers that third parties in between can read or alter. */
export const insecureProviderVariables = {
  ALLOW_INSECURE_PROVIDERS: trueOrFalse({
    default: false,
    desc: 'Lets production call models, MCP servers, S3, wallet providers and collectors elsewhere by http://; a warning at every start',
  }),
};

const urlNames = [
  'MODEL_BASE_URL',
  'S3_ENDPOINT',
  'NEAR_RPC_URL',
  'ONE_CLICK_URL',
  'SOLVER_RELAY_URL',
  'OTEL_EXPORTER_OTLP_ENDPOINT',
] as const;

/** The part of an environment that names providers; values that broke their own rules are absent. */
type Called = Readonly<Partial<Record<(typeof urlNames)[number], string | undefined>>> & {
  readonly MODEL_FALLBACKS?: readonly ModelFallback[];
  readonly MCP_SERVERS?: readonly McpServerSettings[];
};

/** The providers that are called by http:// on another machine. */
export function insecureProviders(env: Called): readonly Insecure[] {
  const { MODEL_FALLBACKS: fallbacks = [], MCP_SERVERS: servers = [] } = env;
  const called: readonly (readonly [variable: string, rule: string, urls: readonly (string | undefined)[]])[] = [
    ...urlNames.map((name) => [name, byHttps, [env[name]]] as const),
    ['MODEL_FALLBACKS', `each baseUrl ${byHttps}`, fallbacks.map(({ connection }) => connection?.baseUrl)],
    ['MCP_SERVERS', `each url ${byHttps}`, servers.flatMap(serverUrls)],
  ];
  return called
    .filter(([, , urls]) => urls.some((url) => url !== undefined && isClearHttp(url)))
    .map(([variable, rule]) => ({ variable, rule, allowance: 'ALLOW_INSECURE_PROVIDERS' }));
}
