import { decodeEvent, upcast, type StoredEvent } from '@app/event-store';
import { untuned } from './run/run.schema';
import { conversationKind } from './conversation.stream';

/** A stored event of version 1: the profile with its defaults filled in, and null where there is none. */
const started: StoredEvent = {
  stream: 'conversation-1',
  revision: 1,
  position: 7,
  id: 'event',
  type: 'run.started',
  payload: {
    type: 'run.started',
    at: '2026-03-01T10:00:00.000Z',
    runId: 'run',
    origin: 'user',
    automationId: null,
    occurrenceId: null,
    request: {
      input: { text: 'hello', artifactIds: [] },
      profile: { model: 'big', instructions: null, tools: ['current_time'], maxSteps: 3, outputSchema: null },
    },
  },
  metadata: {
    $correlationId: 'c',
    $causationId: 'c',
    requestId: 'request-1',
    actor: { kind: 'service', id: 'test' },
    private: { runKey: 'key', userId: 'ada', messageId: 'message' },
  },
};
const request = {
  input: { text: 'hello', artifactIds: [] },
  profile: { model: 'big', tools: ['current_time'], maxSteps: 3 },
};
const { request: _, ...rest } = started.payload;

it('run.started of version 1 tells by its profile what the run was resolved to', () => {
  expect(decodeEvent(conversationKind, started).event).toEqual({
    ...rest,
    ...started.metadata.private,
    request,
    resolved: { model: 'big', tools: ['current_time'], maxSteps: 3, ...untuned },
    agentInstructions: null,
    holder: null,
    queuedAt: null,
  });
});

it('run.started of version 3 knew no agents, and what it was resolved to stays', () => {
  const resolved = { model: 'big', tools: ['current_time'], maxSteps: 3 };
  const hidden = { ...started.metadata.private, holder: null, resolved };
  const third = { ...started, metadata: { ...started.metadata, v: 3, private: hidden } };
  const { event, payload } = decodeEvent(conversationKind, third);
  expect(event).toMatchObject({ resolved: { ...resolved, ...untuned }, agentInstructions: null, holder: null });
  expect(payload).toEqual(started.payload);
  expect(upcast(conversationKind, third)).toEqual(started.payload);
});

it('run.started of version 2 and run.resumed of version 1 were claimed by an event of their own', () => {
  const second = { ...started, metadata: { ...started.metadata, v: 2 } };
  expect(decodeEvent(conversationKind, second).event).toMatchObject({
    request: started.payload['request'],
    holder: null,
  });
  const payload = { type: 'run.resumed', at: started.payload['at'] ?? '', runId: 'run', segment: 2, approvalIds: [] };
  const resumed = decodeEvent(conversationKind, { ...started, type: 'run.resumed', payload });
  expect([resumed.event, resumed.payload]).toMatchObject([{ holder: null }, payload]);
  expect(resumed.payload).toEqual(payload);
});

describe('of version 1', () => {
  const { at } = { at: '2026-03-01T10:00:00.000Z' };
  const usage = { inputTokens: 2, outputTokens: 3, costCents: 1 };
  const counted = { ...usage, cachedInputTokens: 0, estimated: false };
  const ended = { at, runId: 'run', status: 'completed', output: null, failure: null, usage };
  const suspended = { at, runId: 'run', segment: 1, approvalIds: ['a'], usage };

  it.each([
    ['agent.step', { at, runId: 'run', step: 1, usage }, { usage: counted, model: null }],
    ['agent.message', { at, runId: 'run', messageId: 'm', text: 'hi' }, { truncated: false }],
    ['run.suspended', suspended, { usage: counted }],
    [
      'run.ended',
      { ...ended, response: { text: 'hi' } },
      { usage: counted, response: { text: 'hi', truncated: false } },
    ],
    ['run.ended', { ...ended, status: 'failed', response: null }, { usage: counted, response: null }],
  ])('%s counts as told and whole', (type, members, lifted) => {
    const payload = { type, ...members };
    expect(decodeEvent(conversationKind, { ...started, type, payload }).payload).toEqual({ ...payload, ...lifted });
  });
});

it('artifact.uploaded of version 1 has its bytes unsealed under their own hash', () => {
  const facts = { artifactId: 'a', name: 'a.csv', mediaType: 'text/csv', bytes: 15, sha256: 'c8' };
  const payload = { type: 'artifact.uploaded', at: '2026-03-01T10:00:00.000Z', ...facts };
  const { private: _private, ...metadata } = started.metadata;
  const uploaded = { ...started, type: 'artifact.uploaded', payload, metadata };
  expect(decodeEvent(conversationKind, uploaded).event).toEqual({ ...payload, content: null });
  expect(upcast(conversationKind, uploaded)).toEqual(payload);
});

it('and shows in the journal nothing that is private', () => {
  expect(upcast(conversationKind, started)).toEqual({ ...rest, request });
  expect(decodeEvent(conversationKind, started).payload).toEqual({ ...rest, request });
});
