import type { JsonObject, JsonValue } from '@app/kernel';
import { ChatFrames } from './chat-frames';
import { FrameNotes } from './frame-notes';
import { MessageFrames } from './message-frames';

/** The number of calls that are passed to the SDK. */
const begun = (given: readonly JsonObject[], isCall: (text: string) => boolean): number =>
  given.filter((frame) => isCall(JSON.stringify(frame))).length;

function chatCalls(...calls: readonly JsonObject[]): number {
  const frames = new ChatFrames(new FrameNotes());
  const pieces = calls.map((call) => ({ choices: [{ index: 0, delta: { tool_calls: [call] } }] }));
  const given = [...pieces, { choices: [{ index: 0, finish_reason: 'tool_calls' }] }].flatMap((piece) =>
    frames.read(piece),
  );
  return begun([...given, ...frames.end()], (text) => text.includes('"name":"pay"'));
}

const call = (id: string, args: JsonValue, index?: number): JsonObject => ({
  id,
  ...(index === undefined ? {} : { index }),
  function: { name: 'pay', arguments: args },
});

function messageCalls(...blocks: readonly (readonly [id: string, input: JsonObject, json: string])[]): number {
  const frames = new MessageFrames(new FrameNotes());
  const given = blocks.flatMap(([id, input, json], index) =>
    [
      { type: 'content_block_start', index, content_block: { type: 'tool_use', id, name: 'pay', input } },
      ...(json === ''
        ? []
        : [{ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } }]),
      { type: 'content_block_stop', index },
    ].flatMap((frame) => frames.read(frame)),
  );
  return begun(given, (text) => text.includes('"type":"tool_use"'));
}

describe('a call that comes again under its id', () => {
  it('is one, also where its arguments are written with other space, or as the object itself', () => {
    expect(chatCalls(call('a', '{"to": "x y"}', 0), call('a', '{"to":"x y"}', 1))).toBe(1);
    expect(chatCalls(call('a', '{"to": "x y"}'), call('a', { to: 'x y' }))).toBe(1);
    expect(chatCalls(call('', '{"to": "x y"}', 0), call('', '{"to":"x y"}', 0))).toBe(1);
    expect(messageCalls(['a', {}, '{"to": "x y"}'], ['a', { to: 'x y' }, ''])).toBe(1);
    expect(messageCalls(['a', {}, '{"to": "x y"}'], ['a', {}, '{"to":"x y"}'])).toBe(1);
  });

  it('is another one where it says something else, if only a space within a text or a digit', () => {
    expect(chatCalls(call('a', '{"to":"x y"}', 0), call('a', '{"to":"xy"}', 1))).toBe(2);
    expect(chatCalls(call('a', '{"n":9007199254740993}', 0), call('a', '{"n":9007199254740992}', 1))).toBe(2);
    expect(messageCalls(['a', {}, '{"to":"x y"}'], ['a', {}, '{"to":"xy"}'])).toBe(2);
  });

  it('is another one under another id', () => {
    expect(chatCalls(call('a', '{"to":"x"}', 0), call('b', '{"to":"x"}', 1))).toBe(2);
    expect(messageCalls(['a', {}, '{"to":"x"}'], ['b', {}, '{"to":"x"}'])).toBe(2);
  });
});
