import type * as Registry from '@opentelemetry/semantic-conventions/incubating';

type Published<Prefix extends string> = (typeof Registry)[Extract<keyof typeof Registry, `${Prefix}${string}`>];

/** A value of `gen_ai.provider.name` that the registry lists, or the product's own model, which no entry fits. */
export type ProviderName = Published<'GEN_AI_PROVIDER_NAME_VALUE_'> | 'parley';

/**
 * Attributes of OpenTelemetry's conventions for generative AI. The compiler compares each with the published registry, of which nothing is
 * loaded: its constants are a megabyte, and change between versions.
 */
export const genAi = {
  operation: 'gen_ai.operation.name',
  provider: 'gen_ai.provider.name',
  conversationId: 'gen_ai.conversation.id',
  agentName: 'gen_ai.agent.name',
  agentVersion: 'gen_ai.agent.version',
  requestModel: 'gen_ai.request.model',
  requestStream: 'gen_ai.request.stream',
  outputType: 'gen_ai.output.type',
  responseModel: 'gen_ai.response.model',
  finishReasons: 'gen_ai.response.finish_reasons',
  inputTokens: 'gen_ai.usage.input_tokens',
  cachedInputTokens: 'gen_ai.usage.cache_read.input_tokens',
  outputTokens: 'gen_ai.usage.output_tokens',
  toolName: 'gen_ai.tool.name',
  toolType: 'gen_ai.tool.type',
  toolCallId: 'gen_ai.tool.call.id',
  inputMessages: 'gen_ai.input.messages',
  outputMessages: 'gen_ai.output.messages',
  toolArguments: 'gen_ai.tool.call.arguments',
  toolResult: 'gen_ai.tool.call.result',
} as const satisfies Record<string, Published<'ATTR_GEN_AI_'>>;

/** Attributes of the registry's other groups. */
export const registered = {
  serverAddress: 'server.address',
  serverPort: 'server.port',
} as const satisfies Record<string, Published<'ATTR_SERVER_'>>;

/** Values of `gen_ai.operation.name`, with which the names of spans begin. */
export const operations = {
  agent: 'invoke_agent',
  chat: 'chat',
  tool: 'execute_tool',
} as const satisfies Record<string, Published<'GEN_AI_OPERATION_NAME_VALUE_'>>;

/** Value of `gen_ai.output.type` for an answer that must satisfy a schema. */
export const jsonOutput = 'json' satisfies Published<'GEN_AI_OUTPUT_TYPE_VALUE_'>;
