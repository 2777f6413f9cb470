import type { JsonValue } from '@app/kernel';
import { modelRequest } from '@app/testing/runs';
import fc from 'fast-check';
import type { ModelReply } from '../models/model';
import { boundedJson, inputMessages, outputMessages } from './span-content';

const bytesMax = 32 * 1024;
const texts = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }).map((text) => text.repeat(3_000)),
);
const values = fc.oneof(texts, fc.jsonValue({ maxDepth: 3 })) as fc.Arbitrary<JsonValue>; // reason: fast-check's type of JSON is not readonly
const replyOf = (text: string, calls: ModelReply['calls']): ModelReply => ({
  model: 'scripted',
  servedModel: null,
  reasoning: { text, truncated: false },
  text,
  calls,
  inputTokens: 1,
  cachedInputTokens: 0,
  outputTokens: 1,
  costMicroCents: 1,
  estimated: false,
  ending: 'whole',
});

it('every content is JSON within its bound', () => {
  const exchanges = fc.array(fc.record({ input: values, result: values }), { maxLength: 8 });
  fc.assert(
    fc.property(texts, exchanges, (text, returned) => {
      const made = returned.map(({ input, result }) => ({ tool: 'clock', input, outcome: 'ok' as const, result }));
      const calls = made.map(({ tool, input }) => ({ tool, input }));
      const contents = [
        inputMessages(modelRequest(text, made, [])),
        outputMessages(replyOf(text, calls), 'tool_call'),
        ...returned.map(({ result }) => boundedJson(result)),
      ];
      for (const content of contents) {
        expect(Buffer.byteLength(content)).toBeLessThanOrEqual(bytesMax);
        expect(() => JSON.parse(content) as unknown).not.toThrow();
      }
    }),
    { numRuns: 50 },
  );
});

it('the newest messages are kept, oldest first', () => {
  const made = Array.from({ length: 40 }, (_none, at) => {
    return { tool: 'clock', input: { at }, outcome: 'ok' as const, result: `${at}`.padEnd(4_000, '.') };
  });
  const messages = JSON.parse(inputMessages(modelRequest('the question', made, []))) as {
    readonly role: string;
    readonly parts: readonly { readonly arguments?: { readonly at: number } }[];
  }[]; // reason: the schema of the conventions
  const asked = messages.flatMap(({ parts }) => parts.flatMap(({ arguments: input }) => input?.at ?? []));
  expect(asked.at(-1)).toBe(39);
  expect(asked).toEqual([...asked].sort((one, other) => one - other));
  expect(asked.length).toBeLessThan(40);
  expect(messages.some(({ role }) => role === 'user')).toBe(false);
});

it('an answer of as many calls as a step may have is there, with its texts cut', () => {
  const calls = Array.from({ length: 64 }, () => ({ tool: 'clock', input: { words: 'w'.repeat(4_000) } }));
  const [message] = JSON.parse(outputMessages(replyOf('Look.', calls), 'tool_call')) as {
    readonly parts: readonly { readonly type: string; readonly arguments?: string }[];
  }[]; // reason: the schema of the conventions
  const kept = message?.parts.filter(({ type }) => type === 'tool_call') ?? [];
  expect(kept).toHaveLength(64);
  expect(kept[0]?.arguments).toMatch(/^\{"words":"w+…$/);
});

it('a large value is the beginning of its JSON, as a text', () => {
  expect(boundedJson({ small: true })).toBe('{"small":true}');
  expect(JSON.parse(boundedJson({ large: 'x'.repeat(40_000) }))).toMatch(/^\{"large":"x+…$/);
});
