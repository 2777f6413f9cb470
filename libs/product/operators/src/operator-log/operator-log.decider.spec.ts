import { instant, specification } from '@app/testing/deciders';
import { inTurn, operatorLogDecider, pendingMax, type OperatorLogCommand } from './operator-log.decider';
import type { Intent, OperatorLogEvent } from './operator-log.events';

const at = instant('2026-03-01T10:00Z');
const intent = (intentId: string, target = 'runs'): Intent => ({
  intentId,
  at,
  operator: 'ada',
  requestId: `request-${intentId}`,
  operation: 'controls.pause',
  target,
  parameters: {},
  reason: 'provider incident',
});
const intend = (one: Intent): OperatorLogCommand => ({ type: 'Intend', intent: one });
const intended = (one: Intent): OperatorLogEvent => ({ type: 'operator.intended', ...one });
const complete = (intentId: string): OperatorLogCommand => ({ type: 'Complete', at, intentId, outcome: 'done' });
const completed = (intentId: string): OperatorLogEvent => ({
  type: 'operator.completed',
  at,
  intentId,
  outcome: 'done',
});

describe("the operators' log", () => {
  const log = specification(operatorLogDecider);
  const [first, second, other] = [intent('a'), intent('b'), intent('c', 'withdrawals')];

  it('takes an intent', () => log.when(intend(first)).then(intended(first)));
  it('completes it once', () => log.given(intended(first)).when(complete('a')).thenOnce(completed('a')));
  it('completes no other', () => log.given(intended(first)).when(complete('b')).thenNothing());

  it('keeps every look, and remembers none', () => {
    const read = { at, operator: 'ada', operation: 'users.show', target: 'u', parameters: {} };
    const looked: OperatorLogEvent = { type: 'operator.read', ...read };
    log.given(looked).when({ type: 'Look', read }).then(looked);
    expect(log.given(intended(first), looked).state).toEqual({ pending: [first] });
  });

  it('keeps what is pending, in order, and nothing else', () => {
    const { pending } = log.given(intended(first), intended(other), intended(second), completed('c')).state;
    expect(pending).toEqual([first, second]);
  });

  it('has room for so many and no more', () => {
    const all = Array.from({ length: pendingMax }, (_, index) => intended(intent(`n${index}`)));
    log
      .given(...all.slice(1))
      .when(intend(first))
      .then(intended(first));
    log
      .given(...all)
      .when(intend(first))
      .thenRefused('rate_limited');
    log
      .given(...all, completed('n7'))
      .when(intend(first))
      .then(intended(first));
  });

  it('has changes of one thing made in the order in which they were logged', () => {
    const { state } = log.given(intended(first), intended(other), intended(second));
    expect(inTurn(state, first)).toEqual([first]);
    expect(inTurn(state, second)).toEqual([first, second]);
    expect(inTurn(state, other)).toEqual([other]);
    expect(inTurn(state, intent('z'))).toEqual([]);
  });
});
