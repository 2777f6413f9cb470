import { failedEnd } from './run-ends';

it('a failed end has no answer', () => {
  expect(failedEnd('engine_error', 'No.')).toEqual({
    status: 'failed',
    response: null,
    output: null,
    failure: { reason: 'engine_error', text: 'No.' },
  });
});
