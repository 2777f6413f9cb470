import type { ModelConnection } from '@app/settings';
import type { ProviderName } from './names.adapter';

/** The service that answers for a model, as spans name it. */
export interface ServedModel {
  readonly provider: ProviderName;
  /** The name that the provider is sent. */
  readonly model: string;
  /** Null for a model of this process. */
  readonly server: { readonly address: string; readonly port: number } | null;
}

/** Hosts of providers that have a name in the registry; all speak OpenAI's format. */
const hosts: readonly (readonly [host: RegExp, name: ProviderName])[] = [
  [/^api\.deepseek\.com$/, 'deepseek'],
  [/^api\.groq\.com$/, 'groq'],
  [/^api\.mistral\.ai$/, 'mistral_ai'],
  [/^api\.perplexity\.ai$/, 'perplexity'],
  [/^api\.x\.ai$/, 'x_ai'],
  [/^api\.cohere\.(ai|com)$/, 'cohere'],
  [/\.openai\.azure\.com$/, 'azure.ai.openai'],
  [/\.(services|models)\.ai\.azure\.com$/, 'azure.ai.inference'],
  [/^generativelanguage\.googleapis\.com$/, 'gcp.gemini'],
  [/^([a-z0-9-]+-)?aiplatform\.googleapis\.com$/, 'gcp.vertex_ai'],
  [/^bedrock-[a-z0-9.-]+\.amazonaws\.com$/, 'aws.bedrock'],
  [/\.ml\.cloud\.ibm\.com$/, 'ibm.watsonx.ai'],
];

const anthropicUrl = 'https://api.anthropic.com';

/** Returns how spans name the service behind a connection. A server that no entry of the registry fits is named by the format that it speaks. */
export function servedBy({ provider, baseUrl }: ModelConnection, model: string): ServedModel {
  const { protocol, hostname, port } = new URL(baseUrl ?? anthropicUrl);
  const server = { address: hostname, port: Number(port) || (protocol === 'http:' ? 80 : 443) };
  return { provider: provider === 'anthropic' ? 'anthropic' : speakerAt(hostname), model, server };
}

function speakerAt(host: string): ProviderName {
  return hosts.find(([pattern]) => pattern.test(host))?.[1] ?? 'openai';
}
