import { operation, type OperationGroup } from '@app/http';
import { ClockReading } from './clock/clock-moves';
import { MintedToken } from './issuer/issuer';
import { ClockMove, FaultChange, NewOperatorToken, NewToken, Faults } from './sandbox.dto';

export const sandboxGroup: OperationGroup = {
  name: 'sandbox',
  description: 'Levers of the sandbox, on loopback only: tokens, clock, prices, deposits, faults',
};

const examples = {
  token: {
    accessToken: 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ1c2VyLTQ3MTEifQ.c2lnbmF0dXJl',
    expiresAt: '2026-11-21T10:15:00.000Z',
  },
  clock: { now: '2026-11-22T09:15:00.000Z', remainingSeconds: 0 },
  faults: {
    provider: {
      submit: 'reject',
      settleAfterSeconds: 2,
      down: false,
      sessionRejected: false,
      duplicateCallbacks: false,
      unpriced: false,
      undescribed: false,
    },
    model: { delayMs: 0, fail: false },
  },
} as const;

export const mintUserToken = operation('sandbox.tokens', {
  route: 'POST /sandbox/v1/tokens',
  summary: 'Mint an access token for a user',
  description: 'By the built-in issuer, which the service verifies the way it verifies any issuer.',
  body: NewToken,
  answer: MintedToken,
  examples: { body: { subject: 'user-4711', expiresInSeconds: 3600 }, answer: examples.token },
});

export const mintOperatorToken = operation('sandbox.operatorTokens', {
  route: 'POST /sandbox/v1/operator-tokens',
  summary: 'Mint an access token for an operator',
  body: NewOperatorToken,
  answer: MintedToken,
  examples: { body: { subject: 'operator-1', scopes: ['keys', 'users'] }, answer: examples.token },
});

export const readClock = operation('sandbox.readClock', {
  route: 'GET /sandbox/v1/clock',
  summary: 'Read the service clock',
  answer: ClockReading,
  examples: { answer: examples.clock },
});

export const moveClock = operation('sandbox.moveClock', {
  route: 'POST /sandbox/v1/clock',
  summary: 'Move the service clock forward',
  description:
    'Through every due instant in order, each handled at its own instant; at most 2,000 instants a call. It answers when all are recorded; runs that they start go on by themselves.',
  body: ClockMove,
  answer: ClockReading,
  examples: { body: { advanceSeconds: 86_400 }, answer: examples.clock },
});

export const readFaults = operation('sandbox.readFaults', {
  route: 'GET /sandbox/v1/faults',
  summary: 'Read the faults that are switched on',
  answer: Faults,
  examples: { answer: examples.faults },
});

export const setFaults = operation('sandbox.setFaults', {
  route: 'PUT /sandbox/v1/faults',
  summary: 'Switch faults on or off',
  description: 'Sets what it names, leaves the rest, and answers all.',
  body: FaultChange,
  answer: Faults,
  examples: { body: { provider: { submit: 'reject' }, model: { delayMs: 0 } }, answer: examples.faults },
});
