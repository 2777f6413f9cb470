import { abortedEnd, type RunRequest, untuned } from '@app/conversations';
import { asId, type JsonObject, type MessageId, type RunId } from '@app/kernel';
import { failedEnd } from '@app/runs';
import { ModelFailed, type AnswerEnding, type ModelReply } from '../models/model';
import { startedProgress } from '../run/next';
import { recordedStep } from './recorded-step';

const ids = {
  runId: asId<RunId>('run'),
  messageId: asId<MessageId>('message'),
  reasoningId: asId<MessageId>('reasoning'),
};
const call = { tool: 'clock', input: {} };
const brokenOff = new ModelFailed('broken_off', 'for the log');

function recorded(reply: Partial<ModelReply>, asked: { schema?: JsonObject; repairing?: boolean; maxSteps?: number }) {
  const { schema = null, repairing = false, maxSteps = 2 } = asked;
  const request: RunRequest = {
    input: { text: 'hello' },
    ...(schema !== null && { profile: { outputSchema: schema } }),
  };
  const progress = startedProgress({
    request,
    resolved: { model: 'scripted', tools: [], maxSteps, ...untuned },
    agentInstructions: null,
  });
  const counted = {
    model: 'scripted',
    servedModel: 'scripted-2026',
    inputTokens: 3,
    cachedInputTokens: 1,
    outputTokens: 2,
    costMicroCents: 10,
    estimated: false,
  };
  const whole: ModelReply = { reasoning: null, text: 'hi', calls: [], ending: 'whole', ...counted, ...reply };
  return recordedStep(progress, ids, whole, repairing);
}

describe('the record of a model step', () => {
  it('ends the run with an answer that makes no call', () => {
    expect(recorded({}, {})).toEqual({
      type: 'RecordStep',
      model: 'scripted',
      inputTokens: 3,
      cachedInputTokens: 1,
      outputTokens: 2,
      costMicroCents: 10,
      estimated: false,
      reasoning: null,
      message: { messageId: 'message', text: 'hi', truncated: false },
      calls: [],
      heard: 0,
      returned: [],
      end: { status: 'completed', response: { text: 'hi', truncated: false }, output: null, failure: null },
    });
  });

  it('numbers its calls within the run, and then ends nothing', () => {
    const { calls, end } = recorded({ calls: [call, call] }, {});
    expect(calls.map(({ toolCallId }) => toolCallId)).toEqual(['run/1/0', 'run/1/1']);
    expect(end).toBeNull();
  });

  it.each<[AnswerEnding, object]>([
    ['stopped', abortedEnd],
    [brokenOff, failedEnd('provider_error', 'The model stopped in the middle of its answer.')],
  ])('keeps the words of an answer that ended early, and none of its calls (%#)', (ending, end) => {
    expect(recorded({ ending, calls: [call] }, {})).toMatchObject({
      message: { text: 'hi', truncated: true },
      calls: [],
      end,
    });
    expect(recorded({ ending, text: ' \n' }, {}).message).toBeNull();
  });

  it('keeps what was thought beside it, under an id of its own', () => {
    const reasoning = { text: 'Hm.', truncated: true };
    expect(recorded({ ending: 'stopped', text: null, reasoning }, {})).toMatchObject({
      reasoning: { messageId: 'reasoning', ...reasoning },
      message: null,
    });
  });

  it('lets an answer be mended once, where a step is left for it', () => {
    const schema = { type: 'object' };
    expect(recorded({}, { schema }).end).toBeNull();
    expect(recorded({}, { schema, repairing: true }).end).toMatchObject({ failure: { reason: 'output_invalid' } });
    expect(recorded({}, { schema, maxSteps: 1 }).end).toMatchObject({ failure: { reason: 'output_invalid' } });
  });
});
