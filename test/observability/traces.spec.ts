/** One run is one trace, across HTTP, event store, read models and worker. */
import { randomUUID } from 'node:crypto';
import { requestJson } from '@app/testing/client';
import { attributesOf, pathOf, type ReceivedSpan } from '@app/testing/observability';
import { named, partnerSpan, TracedStage } from './traced-stage';

const input = 'my secret is hunter2';

let traced: TracedStage;
beforeAll(async () => {
  traced = await TracedStage.start('openai-compatible');
});
afterAll(() => traced.stop());

/** Spans that represent events, which are the children of their appends' spans. */
const events = (spans: readonly ReceivedSpan[]) => {
  const appends = new Set(named(spans, 'append').map(({ spanId }) => spanId));
  return spans.filter(({ parentSpanId }) => appends.has(parentSpanId ?? ''));
};
/** The number of projected events, summed over the spans of projections. */
const projected = (spans: readonly ReceivedSpan[]) =>
  named(spans, 'project').reduce((sum, span) => sum + Number(attributesOf(span)['parley.events']), 0);
/**
 * Whether the trace is complete: the segment is closed, which is the last effect of a run, and everything is projected except the binding,
 * which no projection reads.
 */
const whole = (spans: readonly ReceivedSpan[]) =>
  named(spans, 'budget.spent').length > 0 &&
  named(spans, 'invoke_agent').length > 0 &&
  projected(spans) === events(spans).filter(({ name }) => name !== 'run.bound').length;

describe('a run', () => {
  const partner = partnerSpan();
  let runId: string;
  let spans: readonly ReceivedSpan[];
  beforeAll(async () => {
    const calls = [
      { tool: 'current_time', input: { timezone: 'Asia/Tokyo' } },
      { tool: 'made_up_by_the_model', input: {} },
    ];
    traced.stage.models.says([{ text: ['I look.'], calls }, { text: ['hunter2, done.'] }]);
    runId = await traced.run(partner, input);
    spans = await traced.receiver.trace(partner.traceId, whole);
  });

  it('is one tree under the span of the partner', () => {
    const roots = spans.filter(({ parentSpanId }) => !spans.some(({ spanId }) => spanId === parentSpanId));
    expect(roots.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['runs.start', partner.spanId]]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  it('leads from the request to its commands, appends and projections, and to the steps of the model', () => {
    const paths = spans.map((span) => pathOf(span, spans));
    const step = 'runs.start > invoke_agent > step';
    const conversation = 'command StartRun > append > run.started';
    for (const path of [
      'runs.start > command Reserve > append > budget.reserved',
      `runs.start > ${conversation}`,
      `${step} > chat scripted-1`,
      `${step} > command RecordStep > append > agent.step`,
      `${step} > execute_tool current_time`,
      `${step} > execute_tool unknown`,
      `${step} > command ReturnTool > append > tool.returned`,
      `${step} > command RecordStep > append > run.ended`,
      'runs.start > command Settle > append > budget.spent',
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => path === step)).toHaveLength(2);
    expect(paths.filter((path) => path === `${step} > chat scripted-1`)).toHaveLength(2);
    const follows = events(spans).map(({ spanId }) => spanId);
    expect(follows).toEqual(expect.arrayContaining(named(spans, 'project').map(({ parentSpanId }) => parentSpanId)));
    const [first] = named(spans, 'step');
    const children = spans.filter(({ parentSpanId }) => parentSpanId === first?.spanId).map(({ name }) => name);
    expect(children.filter((name) => name.startsWith('execute_tool '))).toHaveLength(2);
  });

  it('has spans with ids and figures', () => {
    const of = (name: string) => named(spans, name).map(attributesOf);
    const { user, conversationId } = traced;
    const ids = { 'parley.run.id': runId, 'gen_ai.conversation.id': conversationId, 'parley.user.id': user.userId };
    expect(of('runs.start')).toEqual([
      {
        'parley.operation': 'runs.start',
        'parley.request.id': `request-${runId}`,
        'parley.user.id': user.userId,
        'http.request.method': 'POST',
        'http.route': '/v1/users/:userId/agent-runs',
        'http.response.status_code': 202,
      },
    ]);
    expect(of('invoke_agent')).toMatchObject([{ ...ids, 'parley.segment': 1, 'parley.outcome': 'completed' }]);
    expect(of('step')).toMatchObject([
      { ...ids, 'parley.step': 1 },
      { ...ids, 'parley.step': 2 },
    ]);
    expect(of('chat')[0]).toMatchObject({
      ...ids,
      'gen_ai.request.model': 'scripted-1',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'parley.tool_calls': 2,
      'parley.outcome': 'answered',
    });
    const called = of('execute_tool').map((call) => [call['gen_ai.tool.call.id'], call['gen_ai.tool.name']]);
    expect(called.sort()).toEqual([
      [`${runId}/1/0`, 'current_time'],
      [`${runId}/1/1`, 'unknown'],
    ]);
    expect(of('execute_tool')).toMatchObject([ids, ids]);
    expect(of('command StartRun')).toMatchObject([
      { 'parley.stream': `conversation-${conversationId}`, 'parley.request.id': `request-${runId}` },
    ]);
  });

  it('shows nothing of what was said, and no secret', () => {
    const { stage, user, receiver } = traced;
    const { authorization = '' } = user.headers;
    const words = ['hunter2', 'made_up_by_the_model', 'Asia/Tokyo', 'key-for-the-loopback-models', 'I look'];
    for (const secret of [...words, stage.deployment.partnerKey, authorization.slice(7)]) {
      expect(receiver.text).not.toContain(secret);
    }
  });
});

describe('a request', () => {
  it('that the partner does not sample is not sent, nor anything that follows from it', async () => {
    traced.stage.models.says([{ text: ['Done.'] }]);
    const [unsampled, sampled] = [{ ...partnerSpan(), flags: '00' }, partnerSpan()];
    await traced.run(unsampled, input);
    await traced.run(sampled, input);
    await traced.receiver.trace(sampled.traceId, whole);
    expect(traced.receiver.text).not.toContain(unsampled.traceId);
  });

  it.each(['garbage', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`])(
    'with the traceparent %s begins a trace of its own',
    async (traceparent) => {
      const { user, receiver } = traced;
      const requestId = `request-${randomUUID()}`;
      const headers = { ...user.headers, 'x-request-id': requestId, traceparent };
      await requestJson('GET', `${user.baseUrl}/v1/users/me`, undefined, headers);
      const sent = () => receiver.spans.find((span) => attributesOf(span)['parley.request.id'] === requestId);
      for (let waits = 0; sent() === undefined && waits < 100; waits += 1)
        await new Promise((go) => setTimeout(go, 50));
      expect(sent()).toMatchObject({ name: 'users.me' });
      expect(sent()?.parentSpanId ?? '').toBe('');
    },
  );
});
