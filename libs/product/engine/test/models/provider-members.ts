/** Members of the two wire formats: which are read, skipped or refused. docs/providers.md is this table, and its spec plays each row. */
export interface MemberRow {
  /** Its name on the page. */
  readonly member: string;
  readonly how: 'read' | 'skipped' | 'refused';
  readonly words: string;
  /** The data of the events of an answer that contains it; a text is sent as it is, `whole` as a body that is no stream. */
  readonly events: readonly (object | string | null)[] | { readonly whole: object };
  /** Differences from a whole answer `Hello` with 5 and 2 tokens reported. */
  readonly says?: {
    readonly text?: string | null;
    readonly reasoning?: string;
    readonly calls?: readonly object[];
    readonly trouble?: string;
    /** The trouble of an answer that never began. */
    readonly thrown?: string;
    readonly ending?: 'whole' | 'cut';
    readonly inputTokens?: number;
    readonly cachedInputTokens?: number;
    readonly outputTokens?: number;
    readonly estimated?: true;
    /** Named in the log among the unread members. */
    readonly skipped?: string;
  };
}

const chunk = (delta: object, finish: string | null = null) => ({
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const usage = { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 };
const hello = chunk({ content: 'Hello' });
const stop = chunk({}, 'stop');
const count = { choices: [], usage };
const done = '[DONE]';
const around = (...frames: (object | string | null)[]) => [...frames, hello, stop, count, done];
const instead = (...frames: object[]) => [...frames, stop, count, done];
const call = { index: 0, id: 'c1', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } };
const callOf = (index: number, zone: string) => ({
  ...call,
  index,
  function: { name: 'clock', arguments: `{"zone":"${zone}"}` },
});
const calls = [chunk({}, 'tool_calls'), count, done];
const bigNumber = '{"id":9007199254740993,"price":1.10}';
const called = { text: null, calls: [{ tool: 'clock', input: { zone: 'UTC' } }] };

export const chatMembers: readonly MemberRow[] = [
  { member: '`choices[0].delta.content`', how: 'read', words: 'text', events: around() },
  {
    member: '`content` as a list of parts',
    how: 'read',
    words:
      '`text` and `output_text` as text, `thinking` and `reasoning` as reasoning, `refusal` as a refusal; other types are skipped',
    events: instead(
      chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] }] }),
      chunk({
        content: [
          { type: 'text', text: 'Hel' },
          { type: 'sticker', id: 7 },
          { type: 'output_text', text: 'lo' },
        ],
      }),
    ),
    says: { reasoning: 'Hm.' },
  },
  {
    member: '`content` as one part',
    how: 'read',
    words: 'as a list of one',
    events: instead(chunk({ content: { type: 'text', text: 'Hello' } })),
  },
  {
    member: '`delta.refusal`',
    how: 'read',
    words: 'shown as text; the run fails and says that the model refused',
    events: instead(chunk({ refusal: "I can't help" }), chunk({ refusal: ' with that.' })),
    says: { text: "I can't help with that.", trouble: 'declined' },
  },
  ...(['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'] as const).map((name): MemberRow => ({
    member: `\`delta.${name}\``,
    how: 'read',
    words: 'reasoning; of several names the first that says anything',
    events: around(chunk({ reasoning_content: null, [name]: 'Hm.' })),
    says: { reasoning: 'Hm.' },
  })),
  {
    member: '`delta.reasoning_details`, `delta.thinking_blocks`',
    how: 'read',
    words: 'reasoning, where none of the names above says any',
    events: around(
      chunk({
        reasoning_details: [
          { type: 'reasoning.text', text: 'Hm.' },
          { type: 'reasoning.encrypted', data: 'x' },
        ],
      }),
    ),
    says: { reasoning: 'Hm.' },
  },
  {
    member: '`delta.audio.transcript`',
    how: 'read',
    words: 'text; the sound itself is skipped',
    events: instead(chunk({ audio: { id: 'a', transcript: 'Hello', data: 'AAAA' } })),
  },
  {
    member: '`delta.tool_calls`',
    how: 'read',
    words: 'calls, in pieces or whole, with a number, an id or neither',
    events: [chunk({ tool_calls: [call] }), chunk({}, 'tool_calls'), count, done],
    says: called,
  },
  {
    member: '`tool_calls[]` without number and id, in pieces',
    how: 'read',
    words: 'a name begins a call, and what follows is of the call begun last',
    events: [
      ...['A', 'B'].flatMap((zone) => [
        chunk({ tool_calls: [{ function: { name: 'clock', arguments: '' } }] }),
        chunk({ tool_calls: [{ function: { arguments: '{"zone":' } }] }),
        chunk({ tool_calls: [{ function: { arguments: `"${zone}"}` } }] }),
      ]),
      chunk({}, 'tool_calls'),
      count,
      done,
    ],
    says: { text: null, calls: ['A', 'B'].map((zone) => ({ tool: 'clock', input: { zone } })) },
  },
  {
    member: '`tool_calls[]` of an id or a number, with pieces that have neither',
    how: 'read',
    words: 'they are of the call begun last',
    events: [
      chunk({ tool_calls: [{ id: 'a', function: { name: 'clock', arguments: '' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '{"zone":"A"}' } }] }),
      chunk({ tool_calls: [{ id: 'b', function: { name: 'clock', arguments: '' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '{"zone":"B"}' } }] }),
      chunk({ tool_calls: [{ index: 2, id: 'c', function: { name: 'clock', arguments: '' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '{"zone":"C"}' } }] }),
      chunk({}, 'tool_calls'),
      count,
      done,
    ],
    says: { text: null, calls: ['A', 'B', 'C'].map((zone) => ({ tool: 'clock', input: { zone } })) },
  },
  {
    member: '`tool_calls[]` without number, id and name, where several calls wait for arguments',
    how: 'refused',
    words: 'no call runs with the arguments of another, or with none',
    events: [
      hello,
      chunk({ tool_calls: [{ id: 'a', function: { name: 'clock', arguments: '' } }] }),
      chunk({ tool_calls: [{ id: 'b', function: { name: 'clock', arguments: '' } }] }),
      chunk({ tool_calls: [{ function: { arguments: '{"zone":"A"}' } }] }),
      chunk({}, 'tool_calls'),
      count,
      done,
    ],
    says: { trouble: 'broken_off', estimated: true },
  },
  {
    member: '`tool_calls[]` of a number that no call has, without id and name',
    how: 'read',
    words: 'of the call begun last, while that waits for arguments alone',
    events: [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'clock', arguments: '{"zone":' } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: '"UTC"}' } }] }),
      ...calls,
    ],
    says: called,
  },
  {
    member: '`tool_calls[]` of one number with several ids',
    how: 'read',
    words: 'each name with an id of its own begins a call, an id alone begins none',
    events: [
      ...['A', 'B'].flatMap((zone) => [
        chunk({ tool_calls: [{ index: 0, id: zone, function: { name: 'clock', arguments: '' } }] }),
        chunk({ tool_calls: [{ index: 0, id: `${zone}2`, function: { name: '', arguments: `{"zone":"${zone}"}` } }] }),
      ]),
      ...calls,
    ],
    says: { text: null, calls: ['A', 'B'].map((zone) => ({ tool: 'clock', input: { zone } })) },
  },
  {
    member: '`tool_calls[].function.name` in pieces, again with each piece, or after the arguments',
    how: 'read',
    words: 'as one name',
    events: [
      chunk({ tool_calls: [{ index: 0, id: 'a', function: { name: 'clo', arguments: '' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { name: 'ck', arguments: '{"zone":' } }] }),
      chunk({ tool_calls: [{ index: 0, function: { arguments: '"A"}' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'clock', arguments: '{"zone":' } }] }),
      chunk({ tool_calls: [{ index: 1, id: 'b', function: { name: 'clock', arguments: '"B"}' } }] }),
      chunk({ tool_calls: [{ id: 'c', function: { name: null, arguments: '{"zone":' } }] }),
      chunk({ tool_calls: [{ id: 'c', function: { name: 'clock', arguments: '"C"}' } }] }),
      ...calls,
    ],
    says: { text: null, calls: ['A', 'B', 'C'].map((zone) => ({ tool: 'clock', input: { zone } })) },
  },
  {
    member: '`tool_calls[]` with the id, or the number, and all the words of an earlier one',
    how: 'skipped',
    words: 'it is run once; the log names it',
    events: [
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [call] }),
      chunk({ tool_calls: [{ ...call, index: 1, function: { name: 'clock', arguments: '{"zone"' } }] }),
      chunk({ tool_calls: [{ index: 1, function: { arguments: ':"UTC"}' } }] }),
      ...calls,
    ],
    says: { ...called, skipped: 'a call that came again' },
  },
  {
    member: '`tool_calls[]` with the id of an earlier one, and other words',
    how: 'read',
    words: 'each is a call',
    events: [
      chunk({ tool_calls: ['A', 'B'].map((zone, index) => callOf(index, zone)) }),
      chunk({ tool_calls: [callOf(1, 'C')] }),
      ...calls,
    ],
    says: { text: null, calls: ['A', 'B', 'C'].map((zone) => ({ tool: 'clock', input: { zone } })) },
  },
  {
    member: '`tool_calls[].function.arguments` as an object',
    how: 'read',
    words: 'as its JSON',
    events: [
      chunk({ tool_calls: [{ ...call, function: { name: 'clock', arguments: { zone: 'UTC' } } }] }),
      chunk({}, 'tool_calls'),
      count,
      done,
    ],
    says: called,
  },
  {
    member: '`tool_calls[].function.arguments` with a number that a double does not hold',
    how: 'read',
    words: 'as its text, which no tool takes: the model reads why',
    events: [
      chunk({ tool_calls: [{ ...call, function: { name: 'clock', arguments: bigNumber } }] }),
      chunk({}, 'tool_calls'),
      count,
      done,
    ],
    says: { text: null, calls: [{ tool: 'clock', input: bigNumber }] },
  },
  {
    member: '`delta.function_call`',
    how: 'read',
    words: 'a call, in the form before `tool_calls`',
    events: [
      chunk({ function_call: { name: 'clock', arguments: '' } }),
      chunk({ function_call: { arguments: '{"zone":' } }),
      chunk({ function_call: { arguments: '"UTC"}' } }),
      chunk({}, 'function_call'),
      count,
      done,
    ],
    says: called,
  },
  {
    member: '`tool_calls[].type` other than `function`',
    how: 'skipped',
    words: 'none is offered',
    events: around(
      chunk({ tool_calls: [{ index: 0, id: 'x', type: 'custom', custom: { name: 'clock', input: 'now' } }] }),
    ),
  },
  {
    member: '`delta.annotations`, `delta.citations`, `delta.images`',
    how: 'skipped',
    words: 'nothing of them is text',
    events: around(
      chunk({
        annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example' } }],
        images: [{ type: 'image_url' }],
      }),
    ),
  },
  { member: '`delta.role`', how: 'skipped', words: 'whatever it is', events: around(chunk({ role: 'Assistant' })) },
  {
    member: '`choices[].message` in place of `delta`',
    how: 'read',
    words: 'as a piece, or the whole answer',
    events: [
      { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }], usage },
      done,
    ],
  },
  {
    member: '`choices[].message` that repeats the pieces',
    how: 'read',
    words: 'only what it has beyond them',
    events: [
      chunk({ content: 'Hel' }),
      { choices: [{ index: 0, message: { content: 'Hello' }, finish_reason: 'stop' }] },
      count,
      done,
    ],
  },
  {
    member: '`choices[].message` with an ending after pieces, with other space around it',
    how: 'read',
    words: 'nothing is shown twice',
    events: [
      chunk({ content: ' Hello' }),
      { choices: [{ index: 0, message: { content: 'Hello\n' }, finish_reason: 'stop' }] },
      count,
      done,
    ],
    says: { text: ' Hello\n' },
  },
  {
    member: '`choices[].message` with an ending that differs from the pieces',
    how: 'skipped',
    words: 'the pieces were shown; the log names it',
    events: [hello, { choices: [{ index: 0, message: { content: 'Hi' }, finish_reason: 'stop' }] }, count, done],
    says: { skipped: 'a message that differs from its pieces' },
  },
  {
    member: '`choices[].message` so far next to each `delta`',
    how: 'read',
    words: 'nothing is shown twice',
    events: [
      { choices: [{ index: 0, delta: { content: 'Hel' }, message: { content: 'Hel' } }] },
      { choices: [{ index: 0, delta: { content: 'lo' }, message: { content: 'Hello' }, finish_reason: 'stop' }] },
      count,
      done,
    ],
  },
  {
    member: '`choices[].message` in place of every `delta`',
    how: 'read',
    words:
      'as pieces, even where one begins like those before it; one with an ending that repeats them all is left out',
    events: [
      { choices: [{ index: 0, message: { content: 'ha' } }] },
      { choices: [{ index: 0, message: { content: 'ha' } }] },
      { choices: [{ index: 0, message: { content: 'haha!' } }] },
      { choices: [{ index: 0, message: { content: 'hahahaha!' }, finish_reason: 'stop' }] },
      count,
      done,
    ],
    says: { text: 'hahahaha!' },
  },
  {
    member: '`choices[].message.tool_calls` next to or after deltas',
    how: 'read',
    words: 'calls, where no delta had one',
    events: [
      hello,
      { choices: [{ index: 0, delta: { content: '' }, message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] },
      count,
      done,
    ],
    says: { calls: called.calls },
  },
  {
    member: '`choices[].text`',
    how: 'read',
    words: 'text, as of completions',
    events: instead({ choices: [{ index: 0, text: 'Hello' }] }),
  },
  {
    member: '`choices` with another `index`',
    how: 'skipped',
    words: 'one answer is asked for, and the first is it',
    events: around({ choices: [{ index: 1, delta: { content: 'B' } }] }),
  },
  {
    member: 'two choices of number 0 in a frame',
    how: 'read',
    words: 'one answer, in their order',
    events: instead({
      choices: [
        { index: 0, delta: { content: 'Hel' } },
        { index: 0, delta: { content: 'lo' } },
      ],
    }),
  },
  {
    member: 'frames without `choices`, `choices: null`',
    how: 'skipped',
    words: 'but for their `usage` and `error`',
    events: [hello, stop, { choices: null, usage }, {}, done],
  },
  {
    member: 'a frame of `usage` alone',
    how: 'read',
    words: 'the counts so far; of several the last',
    events: [{ choices: [], usage: { ...usage, completion_tokens: 1, total_tokens: 6 } }, hello, stop, { usage }, done],
  },
  {
    member: '`choices[].usage`, `x_groq.usage`',
    how: 'read',
    words: 'as `usage`',
    events: [hello, { choices: [{ index: 0, delta: {}, finish_reason: 'stop', usage }] }, done],
  },
  {
    member: '`usage` before the words',
    how: 'read',
    words: 'what came after it is estimated on top, and marked',
    events: [{ choices: [], usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 } }, hello, stop, done],
    says: { estimated: true },
  },
  {
    member: '`usage.completion_tokens` of 0 after words',
    how: 'skipped',
    words: 'the words are estimated, and marked',
    events: [hello, stop, { usage: { prompt_tokens: 5, completion_tokens: 0, total_tokens: 5 } }, done],
    says: { estimated: true },
  },
  {
    member: '`usage.prompt_tokens_details.cached_tokens`, `prompt_cache_hit_tokens`, `cached_tokens`',
    how: 'read',
    words: 'input that a cache held',
    events: [hello, stop, { usage: { ...usage, prompt_cache_hit_tokens: 3 } }, done],
    says: { cachedInputTokens: 3 },
  },
  {
    member: '`usage.completion_tokens_details.reasoning_tokens`',
    how: 'read',
    words: 'as output where the sum shows that `completion_tokens` lacks them',
    events: [
      hello,
      stop,
      { usage: { ...usage, total_tokens: 107, completion_tokens_details: { reasoning_tokens: 100 } } },
      done,
    ],
    says: { outputTokens: 102 },
  },
  {
    member: '`usage` of other types',
    how: 'skipped',
    words: 'an estimate counts',
    events: [hello, stop, { usage: 'none' }, done],
    says: { estimated: true },
  },
  {
    member: '`finish_reason`',
    how: 'read',
    words: 'a later one takes nothing back of `length`, `content_filter` and `error`; an empty one is none',
    events: [chunk({ content: 'Hel' }, ''), chunk({ content: 'lo' }, 'length'), stop, count, done],
    says: { ending: 'cut' },
  },
  {
    member: '`finish_reason: content_filter`',
    how: 'refused',
    words: 'the provider withheld the answer',
    events: [hello, chunk({}, 'content_filter'), count, done],
    says: { trouble: 'withheld' },
  },
  {
    member: '`finish_reason: MAX_TOKENS`, `max_tokens`, `model_context_window_exceeded` and the like',
    how: 'read',
    words: 'as `length`: the answer is cut, and marked',
    events: [hello, chunk({}, 'MAX_TOKENS'), count, done],
    says: { ending: 'cut' },
  },
  {
    member: '`finish_reason: SAFETY`, `sensitive`, `guardrail_intervened` and the like',
    how: 'refused',
    words: 'as `content_filter`',
    events: [hello, chunk({}, 'SAFETY'), count, done],
    says: { trouble: 'withheld' },
  },
  {
    member: '`finish_reason: error`, `network_error`, `insufficient_system_resource`, `abort` and the like',
    how: 'refused',
    words: 'the answer broke off behind it',
    events: [hello, chunk({}, 'network_error'), count, done],
    says: { trouble: 'broken_off' },
  },
  {
    member: '`finish_reason` of no known meaning',
    how: 'read',
    words: 'as of a whole answer; the log names it',
    events: [hello, chunk({}, 'because'), count, done],
    says: { skipped: 'the ending because' },
  },
  {
    member: '`choices[].error`',
    how: 'refused',
    words: 'whatever ending it has',
    events: [
      hello,
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop', error: { code: 502, message: 'gone' } }] },
      count,
      done,
    ],
    says: { trouble: 'broken_off', estimated: true },
  },
  {
    member: '`error`',
    how: 'refused',
    words: 'also as a text, `object: error` or `type: error`; an empty one is none',
    events: [{ ...hello, error: null }, { error: 'overloaded' }],
    says: { trouble: 'broken_off', estimated: true },
  },
  {
    member: '`type: ping`, and other frames of no known kind',
    how: 'skipped',
    words: '',
    events: around({ type: 'ping' }, { object: 'chat.heartbeat' }),
  },
  {
    member: '`id`, `created`, `model`, `object`',
    how: 'skipped',
    words: 'whatever they are',
    events: around({ ...chunk({}), id: 7, created: '2026-01-01T00:00:00Z', model: null, object: 1 }),
  },
  {
    member: 'data that is no JSON object',
    how: 'skipped',
    words: '',
    events: around('keep-alive', null, '[]', '"ping"'),
  },
  {
    member: 'JSON that breaks off',
    how: 'refused',
    words: 'a piece of the answer may be in it',
    events: [hello, '{"choices":[{"delta":{"content":"Hel', stop, done],
    says: { trouble: 'unreadable', estimated: true },
  },
  {
    member: 'what comes after `[DONE]`',
    how: 'skipped',
    words: 'but for `usage`',
    events: [hello, stop, done, chunk({ content: ' more' }), { usage }],
  },
  { member: 'a last frame without its blank line', how: 'read', words: '', events: [hello, stop, count] },
  {
    member: 'a body that is no stream, but a whole answer',
    how: 'read',
    words: 'some servers know no streams',
    events: {
      whole: {
        choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
        usage,
      },
    },
  },
  {
    member: 'a body that is no stream, but an error',
    how: 'refused',
    words: 'as an `error` in a stream, with the status that is its code',
    events: { whole: { error: { message: 'The quota is used up', code: 429 } } },
    says: { thrown: 'refused_rate' },
  },
];

const begun = {
  type: 'message_start',
  message: { id: 'm', role: 'assistant', content: [], usage: { input_tokens: 5, output_tokens: 1 } },
};
const block = (index: number, content: object) => ({ type: 'content_block_start', index, content_block: content });
const delta = (index: number, change: object) => ({ type: 'content_block_delta', index, delta: change });
const blockStop = (index: number) => ({ type: 'content_block_stop', index });
const text = [block(0, { type: 'text', text: '' }), delta(0, { type: 'text_delta', text: 'Hello' }), blockStop(0)];
const ended = (reason: string | null = 'end_turn') => ({
  type: 'message_delta',
  delta: { stop_reason: reason },
  usage: { output_tokens: 2 },
});
const over = { type: 'message_stop' };
const amid = (...frames: (object | string | null)[]) => [begun, ...frames, ...text, ended(), over];
const toolUse = { type: 'tool_use', id: 't1', name: 'clock', input: {} };

export const messageMembers: readonly MemberRow[] = [
  { member: '`text_delta`', how: 'read', words: 'text', events: amid() },
  {
    member: '`content_block_start` with text',
    how: 'read',
    words: 'the beginning of the block',
    events: [
      begun,
      block(0, { type: 'text', text: 'Hel' }),
      delta(0, { type: 'text_delta', text: 'lo' }),
      blockStop(0),
      ended(),
      over,
    ],
  },
  {
    member: '`message_start` with content',
    how: 'read',
    words: 'the beginning of the answer',
    events: [
      { ...begun, message: { ...begun.message, content: [{ type: 'text', text: 'Hel' }] } },
      block(0, { type: 'text', text: '' }),
      delta(0, { type: 'text_delta', text: 'lo' }),
      blockStop(0),
      ended(),
      over,
    ],
  },
  {
    member: '`text_delta` of a block that was not begun',
    how: 'read',
    words: 'text',
    events: [begun, delta(0, { type: 'text_delta', text: 'Hello' }), ended(), over],
  },
  {
    member: '`message_start` that is missing, or without `usage`',
    how: 'read',
    words: 'the counts are estimated',
    events: [...text, ended(), over],
    says: { estimated: true },
  },
  {
    member: '`thinking`, `thinking_delta`',
    how: 'read',
    words: 'reasoning',
    events: amid(
      block(3, { type: 'thinking', thinking: 'H' }),
      delta(3, { type: 'thinking_delta', thinking: 'm.' }),
      blockStop(3),
    ),
    says: { reasoning: 'Hm.' },
  },
  {
    member: '`redacted_thinking`, `signature_delta`, `citations_delta`',
    how: 'skipped',
    words: 'nothing of them is text',
    events: amid(
      block(3, { type: 'redacted_thinking', data: 'x' }),
      blockStop(3),
      delta(4, { type: 'signature_delta', signature: 's' }),
      delta(5, { type: 'citations_delta', citation: { type: 'new_location' } }),
    ),
  },
  {
    member: '`tool_use`, `input_json_delta`',
    how: 'read',
    words: 'calls',
    events: [
      begun,
      block(0, toolUse),
      delta(0, { type: 'input_json_delta', partial_json: '{"zone":' }),
      delta(0, { type: 'input_json_delta', partial_json: '"UTC"}' }),
      blockStop(0),
      ended('tool_use'),
      over,
    ],
    says: called,
  },
  {
    member: '`input_json_delta` with a number that a double does not hold',
    how: 'read',
    words: 'as its text, which no tool takes: the model reads why',
    events: [
      begun,
      block(0, toolUse),
      delta(0, { type: 'input_json_delta', partial_json: bigNumber }),
      blockStop(0),
      ended('tool_use'),
      over,
    ],
    says: { text: null, calls: [{ tool: 'clock', input: bigNumber }] },
  },
  {
    member: '`tool_use` with its input at once, or without `content_block_stop`',
    how: 'read',
    words: 'calls',
    events: [begun, block(0, { ...toolUse, input: { zone: 'UTC' } }), ended('tool_use'), over],
    says: called,
  },
  {
    member: '`server_tool_use` and other blocks of no known type',
    how: 'skipped',
    words: 'with all their deltas',
    events: amid(
      block(1, { type: 'not_yet_known' }),
      delta(1, { type: 'text_delta', text: 'B' }),
      blockStop(1),
      block(2, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      blockStop(2),
    ),
  },
  {
    member: 'a block of no known type without `content_block_stop`',
    how: 'skipped',
    words: 'the next block of its number is read',
    events: [begun, block(0, { type: 'not_yet_known' }), ...text, ended(), over],
  },
  {
    member: '`input_json_delta` of a block that is no call',
    how: 'skipped',
    words: 'the log names it',
    events: amid(delta(4, { type: 'input_json_delta', partial_json: '{"zone":"UTC"}' })),
    says: { skipped: 'input of no call' },
  },
  {
    member: 'deltas of no known type',
    how: 'skipped',
    words: '',
    events: [begun, text[0]!, delta(0, { type: 'not_yet_known_delta' }), ...text.slice(1), ended(), over],
  },
  {
    member: 'events of no known type, `ping`',
    how: 'skipped',
    words: '',
    events: amid({ type: 'ping' }, { type: 'content_block_annotation', index: 0 }, {}),
  },
  {
    member: '`usage.output_tokens` of 0 after words',
    how: 'skipped',
    words: 'the words are estimated, and marked',
    events: [
      { ...begun, message: { ...begun.message, usage: { input_tokens: 5, output_tokens: 0 } } },
      ...text,
      { ...ended(), usage: { output_tokens: 0 } },
      over,
    ],
    says: { estimated: true },
  },
  {
    member: '`usage` of `message_start` and `message_delta`',
    how: 'read',
    words: 'what a cache held and what was put there is part of the input',
    events: [
      {
        ...begun,
        message: { ...begun.message, usage: { input_tokens: 2, cache_read_input_tokens: 3, output_tokens: 1 } },
      },
      ...text,
      ended(),
      over,
    ],
    says: { cachedInputTokens: 3 },
  },
  {
    member: '`message_delta` without `usage`',
    how: 'read',
    words: 'what came after the count of `message_start` is estimated on top, and marked',
    events: [begun, ...text, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }, over],
    says: { outputTokens: 3, estimated: true },
  },
  {
    member: '`stop_reason: max_tokens`, `model_context_window_exceeded`',
    how: 'read',
    words: 'the answer is cut, and marked',
    events: [begun, ...text, ended('max_tokens'), over],
    says: { ending: 'cut' },
  },
  {
    member: '`stop_reason: refusal`',
    how: 'refused',
    words: 'the provider withheld the answer; what was shown stays',
    events: [begun, ...text, ended('refusal'), over],
    says: { trouble: 'withheld' },
  },
  {
    member: '`stop_reason` in words of other formats, of no known meaning',
    how: 'read',
    words: 'as in the other format',
    events: [begun, ...text, ended('LENGTH'), over],
    says: { ending: 'cut' },
  },
  {
    member: '`tool_use` with the id and all the words of an earlier one',
    how: 'skipped',
    words: 'it is run once; with other words each is a call',
    events: [
      begun,
      ...['A', 'A', 'B'].flatMap((zone, at) => [
        block(at, toolUse),
        delta(at, { type: 'input_json_delta', partial_json: `{"zone":"${zone}"}` }),
        blockStop(at),
      ]),
      ended('tool_use'),
      over,
    ],
    says: {
      text: null,
      calls: ['A', 'B'].map((zone) => ({ tool: 'clock', input: { zone } })),
      skipped: 'a call that came again',
    },
  },
  {
    member: '`message_stop` that is missing',
    how: 'read',
    words: 'an answer with a `stop_reason` is whole',
    events: [begun, ...text, ended()],
  },
  {
    member: 'what comes after `message_stop`',
    how: 'skipped',
    words: '',
    events: [...amid(), delta(0, { type: 'text_delta', text: ' more' })],
  },
  {
    member: '`error`',
    how: 'refused',
    words: 'also in the form of OpenAI',
    events: [begun, ...text, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }],
    says: { trouble: 'broken_off', estimated: true },
  },
  {
    member: 'data that is no JSON object, `[DONE]`',
    how: 'skipped',
    words: '',
    events: [...amid('keep-alive', '[]'), done],
  },
  {
    member: 'a body that is no stream, but a whole message',
    how: 'read',
    words: 'some servers know no streams',
    events: {
      whole: {
        type: 'message',
        role: 'assistant',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        usage: { input_tokens: 5, output_tokens: 2 },
      },
    },
  },
  {
    member: 'a body that is no stream, but an error',
    how: 'refused',
    words: 'as an `error` in a stream',
    events: { whole: { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } } },
    says: { thrown: 'own_error' },
  },
];
