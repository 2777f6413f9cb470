/** Words are in spans only where TRACE_CONTENT says so, and never more than their bound. */
import { attributesOf, type ReceivedSpan } from '@app/testing/observability';
import { named, TracedStage } from './traced-stage';

const contents = [
  'gen_ai.input.messages',
  'gen_ai.output.messages',
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.call.result',
];
const attributeBytesMax = 32 * 1024;
const input = 'my secret is hunter2';
const script = [
  { text: ['I look.'], calls: [{ tool: 'current_time', input: { timezone: 'Asia/Tokyo' } }] },
  { text: ['It is noon.'] },
];

const attributes = (spans: readonly ReceivedSpan[], name: string) => named(spans, name).map(attributesOf);
const jsonOf = (value: unknown): unknown => JSON.parse(String(value));

describe('without TRACE_CONTENT', () => {
  it('no span has contents', async () => {
    const traced = await TracedStage.start('openai-compatible');
    traced.stage.models.says(script);
    const spans = await traced.agentSpans(input);
    await traced.stop();
    expect(spans.flatMap((span) => Object.keys(attributesOf(span))).filter((name) => contents.includes(name))).toEqual(
      [],
    );
    for (const words of ['hunter2', 'Asia/Tokyo', 'I look', 'noon']) expect(traced.receiver.text).not.toContain(words);
  });
});

describe('with TRACE_CONTENT', () => {
  let traced: TracedStage;
  beforeAll(async () => {
    traced = await TracedStage.start('openai-compatible', { TRACE_CONTENT: 'true' });
  });
  afterAll(() => traced.stop());

  it('spans have the messages of a model, and the input and result of a tool', async () => {
    traced.stage.models.says(script);
    const spans = await traced.agentSpans(input);
    const [first, second] = attributes(spans, 'chat');
    const [call] = attributes(spans, 'execute_tool');
    const id = call?.['gen_ai.tool.call.id'];
    const asked = { role: 'user', parts: [{ type: 'text', content: input }] };
    const toolCall = { type: 'tool_call', name: 'current_time', arguments: { timezone: 'Asia/Tokyo' } };
    const response = jsonOf(call?.['gen_ai.tool.call.result']);
    expect(jsonOf(first?.['gen_ai.input.messages'])).toEqual([asked]);
    expect(jsonOf(first?.['gen_ai.output.messages'])).toEqual([
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'I look.' },
          { ...toolCall, id: null },
        ],
        finish_reason: 'tool_call',
      },
    ]);
    expect(jsonOf(second?.['gen_ai.input.messages'])).toEqual([
      asked,
      {
        role: 'assistant',
        parts: [
          { type: 'text', content: 'I look.' },
          { ...toolCall, id },
        ],
      },
      { role: 'tool', parts: [{ type: 'tool_call_response', id, response }] },
    ]);
    expect(jsonOf(call?.['gen_ai.tool.call.arguments'])).toEqual({ timezone: 'Asia/Tokyo' });
    expect(JSON.stringify(response)).toContain('Asia/Tokyo');
  });

  it('they are bounded, and are JSON all the same', async () => {
    const long = (letter: string) => `${letter.repeat(9_000)} "quoted" \u{1F600}`.repeat(8);
    traced.stage.models.says([
      { text: [long('a')], calls: [{ tool: 'current_time', input: { timezone: long('t') } }] },
      { text: [long('b')] },
    ]);
    const spans = await traced.agentSpans('x'.repeat(30_000));
    const values = spans.flatMap((span) =>
      Object.entries(attributesOf(span)).flatMap(([name, value]) => (contents.includes(name) ? [String(value)] : [])),
    );
    expect(values.length).toBeGreaterThanOrEqual(6);
    for (const value of values) {
      expect(Buffer.byteLength(value)).toBeLessThanOrEqual(attributeBytesMax);
      expect(jsonOf(value)).not.toEqual([]);
    }
  });
});
