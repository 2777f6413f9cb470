import type { JsonObject } from '@app/kernel';
import { objectsIn, textIn, textOfCall, type AskedMessage, type ScriptedUsage, type WireFormat } from './wire-format';

const frame = (body: object): string => `data: ${JSON.stringify(body)}\n\n`;
const chunk = (delta: object, finish: string | null = null, more: object = {}): string =>
  frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    ...more,
    choices: [{ index: 0, delta, finish_reason: finish }],
  });

/**
 * Chat completions with server-sent events, as OpenAI's own API sends them, with the frames that llama.cpp's server,
 * vLLM and DeepSeek add.
 *
 * Source: OpenAI's API reference, "Streaming events"; llama.cpp's server.
 */
export const chatCompletions: WireFormat = {
  path: '/v1/chat/completions',
  read(body) {
    const messages = objectsIn(body['messages']);
    const system = messages.filter(({ role }) => role === 'system').map(({ content }) => textIn(content));
    const tools = objectsIn(body['tools']).map(({ function: offered }) => {
      // Reason for the assertion: the format's tool is an object with a function.
      const { name, description, parameters } = offered as JsonObject;
      return { name: textIn(name), description: textIn(description), schema: parameters };
    });
    return {
      model: textIn(body['model']),
      system: system.join('\n'),
      tools,
      body,
      messages: messages.filter(({ role }) => role !== 'system').map(messageOf),
    };
  },
  opening: () => [chunk({ role: 'assistant', content: '' })],
  // As llama.cpp's server, vLLM and DeepSeek send it; OpenAI's own API has no such member.
  reasoning: (pieces) => pieces.map((text) => chunk({ reasoning_content: text })),
  piece: (text) => chunk({ content: text }),
  calls: (calls) =>
    calls.flatMap((call, index) => {
      const input = textOfCall(call);
      const half = Math.ceil(input.length / 2);
      const begun = {
        index,
        id: `call_again_${index}`,
        type: 'function',
        function: { name: call.tool, arguments: '' },
      };
      const parts = [input.slice(0, half), input.slice(half)];
      return [
        chunk({ tool_calls: [begun] }),
        ...parts.map((part) => chunk({ tool_calls: [{ index, function: { arguments: part } }] })),
      ];
    }),
  ending: (calls, usage, _hasText, cut) => [
    chunk({}, cut ? 'length' : calls ? 'tool_calls' : 'stop'),
    ...(usage === null ? [] : [usageFrame(usage)]),
    'data: [DONE]\n\n',
  ],
  // As OpenRouter reports failures after its headers: next to choices that end with an error (its API reference,
  // "Streaming").
  trouble: (message) =>
    frame({
      id: 'gen-1',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'scripted',
      error: { message, code: 502 },
      choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
    }),
  refusal: (_status, message) => ({ error: { message, type: 'refused', param: null, code: null } }),
  faultIn: ({ messages }) => (alternate(messages) ? null : { status: 500, message: mustAlternate }),
  // OpenAI's cached prefix begins with the tools and the format of the answer; templates put them before the
  // conversation too.
  pieces: ({ tools, response_format: format, messages }) =>
    [tools ?? null, format ?? null, ...objectsIn(messages)].map((piece) => ({
      text: JSON.stringify(piece),
      marked: false,
    })),
};

/** The exception of the chat templates of Mistral and Gemma, observed from llama.cpp's server with status 500. */
const mustAlternate =
  'After the optional system message, conversation roles must alternate user and assistant roles except for tool calls and results.';

/** Checks as those templates do: user first, then in turns; calls and their results are skipped. */
function alternate(messages: readonly AskedMessage[]): boolean {
  const turns = messages.filter(({ role, calls }) => role === 'user' || (role === 'assistant' && calls.length === 0));
  const neighbours = messages.slice(1).some(({ role }, at) => role !== 'tool' && role === messages[at]?.role);
  return !neighbours && turns.every(({ role }, at) => (role === 'user') === (at % 2 === 0));
}

function usageFrame(scripted: ScriptedUsage): string {
  const { inputTokens: prompt, outputTokens: completion, cachedInputTokens = 0, totalTokens } = scripted;
  const usage = {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: totalTokens ?? prompt + completion,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
  };
  return frame({
    id: 'chatcmpl-1',
    object: 'chat.completion.chunk',
    created: 1,
    model: 'scripted',
    choices: [],
    usage,
  });
}

function messageOf(message: JsonObject): AskedMessage {
  const { role, content, tool_calls: called, tool_call_id: answered } = message;
  if (role === 'tool') {
    return { role, text: '', calls: [], results: [{ id: textIn(answered), content: textIn(content) }] };
  }
  const calls = objectsIn(called).map(({ id, function: named }) => {
    // Reason for the assertion: the format's call is an object with a function.
    const { name, arguments: input } = named as JsonObject;
    return { id: textIn(id), tool: textIn(name), input: JSON.parse(textIn(input)) as unknown };
  });
  return { role: role === 'assistant' ? role : 'user', text: textIn(content), calls, results: [] };
}
