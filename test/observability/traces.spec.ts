/** One run is one trace, across HTTP, event store, read models and worker. */
import { randomBytes, randomUUID } from 'node:crypto';
import { conversationOf, type Stage, startStage, untilEnded } from '@app/testing/journeys';
import { requestJson, type TestClient } from '@app/testing/client';
import { attributesOf, OtlpReceiver, pathOf, type ReceivedSpan } from '@app/testing/observability';

const input = 'my secret is hunter2';

let receiver: OtlpReceiver;
let stage: Stage;
let user: TestClient;
let conversationId: string;
beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  stage = await startStage('openai-compatible', { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint });
  user = await stage.deployment.newUser();
  conversationId = await conversationOf(user);
});
afterAll(async () => {
  await stage.stop();
  await receiver.close();
});

/** Starts a run as a partner whose own request is traced, and returns its id once it has ended. */
async function tracedRun(traceId: string, partnerSpanId: string, flags = '01'): Promise<string> {
  const runId = randomUUID();
  const headers = {
    ...user.headers,
    'x-request-id': `request-${runId}`,
    traceparent: `00-${traceId}-${partnerSpanId}-${flags}`,
  };
  const path = `/v1/users/${user.userId}/agent-runs`;
  const body = { runId, conversationId, input: { text: input } };
  const { status } = await requestJson('POST', `${user.baseUrl}${path}`, body, headers);
  expect(status).toBe(202);
  await untilEnded(user, runId);
  return runId;
}

const named = (spans: readonly ReceivedSpan[], name: string) => spans.filter((span) => span.name === name);
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
  named(spans, 'run').length > 0 &&
  projected(spans) === events(spans).filter(({ name }) => name !== 'run.bound').length;

describe('a run', () => {
  const traceId = randomBytes(16).toString('hex');
  const partnerSpanId = randomBytes(8).toString('hex');
  let runId: string;
  let spans: readonly ReceivedSpan[];
  beforeAll(async () => {
    const calls = [
      { tool: 'current_time', input: { timezone: 'Asia/Tokyo' } },
      { tool: 'made_up_by_the_model', input: {} },
    ];
    stage.models.says([{ text: ['I look.'], calls }, { text: ['hunter2, done.'] }]);
    runId = await tracedRun(traceId, partnerSpanId);
    spans = await receiver.trace(traceId, whole);
  });

  it('is one tree under the span of the partner', () => {
    const roots = spans.filter(({ parentSpanId }) => !spans.some(({ spanId }) => spanId === parentSpanId));
    expect(roots.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['runs.start', partnerSpanId]]);
    expect(new Set(spans.map(({ spanId }) => spanId)).size).toBe(spans.length);
  });

  it('leads from the request to its commands, appends and projections, and to the steps of the model', () => {
    const paths = spans.map((span) => pathOf(span, spans));
    const step = 'runs.start > run > step';
    const conversation = 'command StartRun > append > run.started';
    for (const path of [
      'runs.start > command Reserve > append > budget.reserved',
      `runs.start > ${conversation}`,
      `${step} > model call`,
      `${step} > command RecordStep > append > agent.step`,
      `${step} > tool call`,
      `${step} > command ReturnTool > append > tool.returned`,
      `${step} > command RecordStep > append > run.ended`,
      'runs.start > command Settle > append > budget.spent',
    ]) {
      expect(paths).toContain(path);
    }
    expect(paths.filter((path) => path === step)).toHaveLength(2);
    expect(paths.filter((path) => path === `${step} > model call`)).toHaveLength(2);
    const follows = events(spans).map(({ spanId }) => spanId);
    expect(follows).toEqual(expect.arrayContaining(named(spans, 'project').map(({ parentSpanId }) => parentSpanId)));
    const [first] = named(spans, 'step');
    const children = spans.filter(({ parentSpanId }) => parentSpanId === first?.spanId).map(({ name }) => name);
    expect(children.filter((name) => name === 'tool call')).toHaveLength(2);
  });

  it('has spans with ids and figures', () => {
    const of = (name: string) => named(spans, name).map(attributesOf);
    const ids = { 'parley.run.id': runId, 'parley.conversation.id': conversationId };
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
    expect(of('run')).toMatchObject([{ ...ids, 'parley.segment': 1 }]);
    expect(of('step')).toMatchObject([
      { ...ids, 'parley.step': 1 },
      { ...ids, 'parley.step': 2 },
    ]);
    expect(of('model call')[0]).toMatchObject({
      'gen_ai.request.model': 'scripted-1',
      'gen_ai.usage.input_tokens': 100,
      'gen_ai.usage.output_tokens': 10,
      'parley.tool_calls': 2,
      'parley.outcome': 'answered',
    });
    const called = of('tool call').map((call) => [call['parley.tool_call.id'], call['gen_ai.tool.name']]);
    expect(called.sort()).toEqual([
      [`${runId}/1/0`, 'current_time'],
      [`${runId}/1/1`, 'unknown'],
    ]);
    expect(of('command StartRun')).toMatchObject([
      { 'parley.stream': `conversation-${conversationId}`, 'parley.request.id': `request-${runId}` },
    ]);
  });

  it('shows nothing of what was said, and no secret', () => {
    const { authorization = '' } = user.headers;
    const words = ['hunter2', 'made_up_by_the_model', 'Asia/Tokyo', 'key-for-the-loopback-models', 'I look'];
    for (const secret of [...words, stage.deployment.partnerKey, authorization.slice(7)]) {
      expect(receiver.text).not.toContain(secret);
    }
  });
});

describe('a failed model call', () => {
  it('fails its span by kind, without the words of the provider', async () => {
    stage.models.says([{ status: 400, message: 'the provider said xyzzy' }]);
    const traceId = randomBytes(16).toString('hex');
    await tracedRun(traceId, randomBytes(8).toString('hex'));
    const spans = await receiver.trace(traceId, (all) => named(all, 'run').length > 0);
    const [failed] = named(spans, 'model call');
    expect(failed?.status.code).toBe(2);
    expect(failed && attributesOf(failed)).toMatchObject({ 'error.type': 'ModelFailed', 'parley.outcome': 'failed' });
    expect(receiver.text).not.toContain('xyzzy');
  });
});

describe('a request', () => {
  it('that the partner does not sample is not sent, nor anything that follows from it', async () => {
    stage.models.says([{ text: ['Done.'] }]);
    const traceId = randomBytes(16).toString('hex');
    await tracedRun(traceId, randomBytes(8).toString('hex'), '00');
    const other = randomBytes(16).toString('hex');
    await tracedRun(other, randomBytes(8).toString('hex'));
    await receiver.trace(other, whole);
    expect(receiver.text).not.toContain(traceId);
  });

  it.each(['garbage', `00-${'0'.repeat(32)}-${'1'.repeat(16)}-01`, `ff-${'1'.repeat(32)}-${'1'.repeat(16)}-01`])(
    'with the traceparent %s begins a trace of its own',
    async (traceparent) => {
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
