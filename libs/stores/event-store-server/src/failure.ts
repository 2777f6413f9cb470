import type { ExpectedRevision } from './event';
import { APPEND_BYTES_MAX, APPEND_EVENTS_MAX } from './limits';

/** The reason why a request failed. The services translate each into its wire form (`wire/errors.ts`). */
export type Failure =
  | { kind: 'wrong-expected-version'; stream: string; expected: ExpectedRevision; current: number | 'no_stream' }
  | { kind: 'stream-deleted'; stream: string }
  | { kind: 'append-too-large' }
  | { kind: 'bad-request'; message: string }
  | { kind: 'bad-expression'; message: string }
  | { kind: 'missing-metadata'; properties: readonly string[] }
  | { kind: 'timeout' }
  | { kind: 'not-ready' }
  | { kind: 'too-slow' }
  | { kind: 'unavailable'; message: string };

/** Carries a failure through code that throws. */
export class FailureError extends Error {
  constructor(readonly failure: Failure) {
    super(describeFailure(failure));
  }
}

export function badRequest(message: string): FailureError {
  return new FailureError({ kind: 'bad-request', message });
}

export function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case 'wrong-expected-version':
      return `stream "${failure.stream}" is at ${failure.current}, expected ${failure.expected}`;
    case 'stream-deleted':
      return `stream "${failure.stream}" is deleted`;
    case 'append-too-large':
      return `one append holds at most ${APPEND_BYTES_MAX} bytes and ${APPEND_EVENTS_MAX} events`;
    case 'missing-metadata':
      return `an event lacks ${failure.properties.join(', ')}`;
    case 'timeout':
      return 'the deadline of the append has passed';
    case 'not-ready':
      return 'Server Is Not Ready';
    case 'too-slow':
      return 'Operation timed out: Consumer too slow to handle event while live. Client resubscription required.';
    case 'bad-request':
    case 'bad-expression':
    case 'unavailable':
      return failure.message;
  }
}

/** Turns an error of reading the database into a failure: the store is unreachable now and will be back. */
export function asFailure(error: unknown): Failure {
  if (error instanceof FailureError) return error.failure;
  return { kind: 'unavailable', message: `storage: ${error instanceof Error ? error.message : String(error)}` };
}
