import type { JsonObject } from '@app/kernel';
import { objectsIn, textIn, textOfCall, type AskedMessage, type ScriptedUsage, type WireFormat } from './wire-format';

const frame = (type: string, body: object): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...body })}\n\n`;

/**
 * Messages with server-sent events, as Anthropic's own API sends them. It is equally strict about marks for its cache,
 * and about calls without results.
 *
 * Source: Anthropic's API reference, "Streaming messages", and its documentation, "Prompt caching" and "Tool use".
 */
export const anthropicMessages: WireFormat = {
  path: '/v1/messages',
  read(body) {
    const tools = objectsIn(body['tools']).map(({ name, description, input_schema: schema }) => ({
      name: textIn(name),
      description: textIn(description),
      schema,
    }));
    const system = textOf(body['system']);
    const messages = objectsIn(body['messages']).flatMap(messagesOf);
    return { model: textIn(body['model']), system, tools, messages, body };
  },
  opening: (hasText, usage) => [
    frame('message_start', {
      message: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'scripted',
        content: [],
        stop_reason: null,
        // Clients of this format require it here; a provider that counts nothing sends zero.
        usage: startingUsage(usage),
      },
    }),
    frame('ping', {}),
    ...(hasText ? [block(0, { type: 'text', text: '' })] : []),
  ],
  reasoning: (pieces) => [
    block(reasoningIndex, { type: 'thinking', thinking: '', signature: '' }),
    ...pieces.map((thinking) => delta(reasoningIndex, { type: 'thinking_delta', thinking })),
    stop(reasoningIndex),
  ],
  piece: (text) => delta(0, { type: 'text_delta', text }),
  calls: (calls, hasText) =>
    calls.flatMap((call, at) => {
      const index = at + (hasText ? 1 : 0);
      const input = textOfCall(call);
      const half = Math.ceil(input.length / 2);
      return [
        ...(at === 0 && hasText ? [stop(0)] : []),
        block(index, { type: 'tool_use', id: `toolu_${at}`, name: call.tool, input: {} }),
        delta(index, { type: 'input_json_delta', partial_json: input.slice(0, half) }),
        delta(index, { type: 'input_json_delta', partial_json: input.slice(half) }),
        stop(index),
      ];
    }),
  ending: (calls, usage, hasText, cut) => [
    ...(hasText && !calls ? [stop(0)] : []),
    frame('message_delta', {
      delta: { stop_reason: cut ? 'max_tokens' : calls ? 'tool_use' : 'end_turn', stop_sequence: null },
      ...(usage === null ? {} : { usage: { output_tokens: usage.outputTokens } }),
    }),
    frame('message_stop', {}),
  ],
  trouble: (message) => frame('error', { error: { type: 'overloaded_error', message } }),
  refusal: (_status, message) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  // Anthropic's own API merges adjacent messages of one role into one.
  faultIn: ({ body }) => {
    const message = faultInMarks(body) ?? faultInCalls(body);
    return message === null ? null : { status: 400, message };
  },
  pieces: (body) =>
    blocksOf(body).map(({ cache_control: mark, ...block }) => ({
      text: JSON.stringify(block),
      marked: mark !== undefined,
    })),
};

/**
 * Returns every block that can have a mark, in the order in which the cache reads them: tools, the system message, the
 * conversation.
 */
function blocksOf({ tools, system, messages }: JsonObject): readonly JsonObject[] {
  const said = objectsIn(messages).flatMap(({ role, content }) => {
    const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
    return blocks.map((block: JsonObject) => ({ role: role ?? null, ...block }));
  });
  return [...objectsIn(tools), ...objectsIn(system), ...said];
}

/** Messages as in github.com/anthropics/claude-code/issues/50082 and github.com/continuedev/continue/pull/6937. */
function faultInMarks(body: JsonObject): string | null {
  const marked = blocksOf(body).filter(({ cache_control: mark }) => mark !== undefined);
  if (marked.length > 4) return `A maximum of 4 blocks with cache_control may be provided. Found ${marked.length}.`;
  const isEmpty = marked.some(({ type, text }) => type === 'text' && text === '');
  return isEmpty ? 'messages.0.content.0.text: cache_control cannot be set for empty text blocks' : null;
}

/** Messages as in Anthropic's documentation, "Tool use", in its list of errors. */
function faultInCalls({ messages }: JsonObject): string | null {
  const said = objectsIn(messages);
  const idsOf = (at: number, type: string, member: string) =>
    objectsIn(said[at]?.['content']).flatMap((block) => (block['type'] === type ? [textIn(block[member])] : []));
  const isOpen = said.some((_message, at) => {
    const returned = idsOf(at + 1, 'tool_result', 'tool_use_id');
    return idsOf(at, 'tool_use', 'id').some((id) => !returned.includes(id));
  });
  return isOpen ? '`tool_use` ids were found without `tool_result` blocks immediately after' : null;
}

/** Index of the block of reasoning: clients distinguish blocks by it, and accept them in any order. */
const reasoningIndex = 99;
const block = (index: number, content: object): string =>
  frame('content_block_start', { index, content_block: content });
const delta = (index: number, change: object): string => frame('content_block_delta', { index, delta: change });
const stop = (index: number): string => frame('content_block_stop', { index });

function textOf(content: unknown): string {
  if (typeof content === 'string') return content;
  return objectsIn(content)
    .flatMap(({ type, text }) => (type === 'text' ? [textIn(text)] : []))
    .join('\n');
}

/** Results of tools are sent in messages of the user; here each is a message of its own. */
function messagesOf({ role, content }: JsonObject): readonly AskedMessage[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);
  const results = blocks.flatMap(({ type, ...result }: JsonObject) =>
    type === 'tool_result' ? [{ id: textIn(result['tool_use_id']), content: textOf(result['content']) }] : [],
  );
  const calls = blocks.flatMap(({ type, id, name, input }: JsonObject) =>
    type === 'tool_use' ? [{ id: textIn(id), tool: textIn(name), input }] : [],
  );
  const texts = blocks.flatMap(({ type, text }: JsonObject) => (type === 'text' ? [textIn(text)] : []));
  if (role === 'assistant') return [{ role, text: texts.join(''), calls, results: [] }];
  return [
    ...results.map((result) => ({ role: 'tool' as const, text: '', calls: [], results: [result] })),
    ...texts.map((text) => ({ role: 'user' as const, text, calls: [], results: [] })),
  ];
}

/** The tokens of its cache are counted separately. */
function startingUsage(usage: ScriptedUsage | null): JsonObject {
  const { inputTokens = 0, cachedInputTokens = 0, cacheWriteTokens = 0 } = usage ?? {};
  return {
    input_tokens: inputTokens - cachedInputTokens - cacheWriteTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    cache_read_input_tokens: cachedInputTokens,
    output_tokens: 0,
  };
}
