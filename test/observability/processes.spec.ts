/** A trace continues in another process, which learns of it only from events. */
import { randomBytes, randomUUID } from 'node:crypto';
import { conversationOf, untilEnded } from '@app/testing/journeys';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { requestJson } from '@app/testing/client';
import { attributesOf, OtlpReceiver, pathOf } from '@app/testing/observability';

let receiver: OtlpReceiver;
let deployment: Deployment;
beforeAll(async () => {
  receiver = await OtlpReceiver.start();
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint };
  deployment = await startDeployment({ mode: 'processes', env });
});
afterAll(async () => {
  await deployment.stop();
  await receiver.close();
});

it('leads from the api through the worker, and is sent to its end when they stop', async () => {
  const user = await deployment.newUser();
  const conversationId = await conversationOf(user);
  const [traceId, partnerSpanId, runId] = [
    randomBytes(16).toString('hex'),
    randomBytes(8).toString('hex'),
    randomUUID(),
  ];
  const headers = { ...user.headers, traceparent: `00-${traceId}-${partnerSpanId}-01` };
  const body = { runId, conversationId, input: { text: 'repeat after me: done' } };
  await requestJson('POST', user.url('/agent-runs'), body, headers);
  await untilEnded(user, runId);
  for (const one of [...deployment.apis, ...deployment.workers]) expect(await one.stop()).toBe(0);
  const spans = receiver.spans.filter((span) => span.traceId === traceId);
  const roots = spans.filter(({ parentSpanId }) => !spans.some(({ spanId }) => spanId === parentSpanId));
  expect(roots.map(({ name, parentSpanId }) => [name, parentSpanId])).toEqual([['runs.start', partnerSpanId]]);
  const paths = spans.map((span) => pathOf(span, spans));
  expect(paths).toContain('runs.start > command StartRun > append > run.started');
  expect(paths).toContain('runs.start > invoke_agent > step > command RecordStep > append > run.ended');
  // The registry names no provider that is the product itself, whose model answers in this process.
  const [chat] = spans.filter(({ name }) => name === 'chat parley/rules');
  expect(chat).toMatchObject({ kind: 1 });
  expect(chat && attributesOf(chat)).toMatchObject({ 'gen_ai.provider.name': 'parley' });
  expect(
    paths.filter((path) => path.startsWith('runs.start > command StartRun') && path.endsWith('> project')),
  ).not.toEqual([]);
});
