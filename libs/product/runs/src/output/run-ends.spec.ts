import { endOfAnswer, failedEnd } from './run-ends';

it('a failed end has no answer', () => {
  expect(failedEnd('engine_error', 'No.')).toEqual({
    status: 'failed',
    response: null,
    output: null,
    failure: { reason: 'engine_error', text: 'No.' },
  });
});

describe('the end of a run with its final answer', () => {
  const schema = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };

  it('is completed, with the output where one was asked for', () => {
    const response = { text: '{"n":1}', truncated: false };
    const completed = { status: 'completed', response, failure: null };
    expect(endOfAnswer(response, schema, true)).toEqual({ ...completed, output: { n: 1 } });
    expect(endOfAnswer(response, null, false)).toEqual({ ...completed, output: null });
  });

  it('is none where the answer may be repaired, and output_invalid where it may not', () => {
    const response = { text: 'not JSON', truncated: false };
    expect(endOfAnswer(response, schema, true)).toBeNull();
    expect(endOfAnswer(response, schema, false)).toEqual(
      failedEnd('output_invalid', 'The answer does not satisfy the output schema.'),
    );
  });

  it('is never the value of an answer that was cut', () => {
    const response = { text: '{"n":1}', truncated: true };
    expect(endOfAnswer(response, schema, true)).toEqual(
      failedEnd('output_invalid', 'The output limit cut the answer.'),
    );
    expect(endOfAnswer(response, null, true)).toEqual({
      status: 'completed',
      response,
      output: null,
      failure: null,
    });
  });
});
