import { instant, specification } from '@app/testing/deciders';
import { operatorLogDecider, pendingMax, pendingOfOneMax, type OperatorLogCommand } from './operator-log.decider';
import type { Intent, OperatorLogEvent } from './operator-log.events';

const at = instant('2026-03-01T10:00Z');
const intent = (intentId: string, target = 'runs', operation = 'controls.pause'): Intent => ({
  intentId,
  at,
  operator: 'ada',
  requestId: `request-${intentId}`,
  operation,
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

  it.each(['webhooks.recover', 'webhooks.delete', 'users.freeze'])('has room for all others than %s', (full) => {
    const others = Array.from({ length: pendingMax }, (_, n) => intended(intent(`n${n}`, `w${n}`, full)));
    log
      .given(...others)
      .when(intend(intent('z', 'w', full)))
      .thenRefused('rate_limited');
    for (const operation of ['controls.pause', 'keys.revoke', 'automations.hold', 'webhooks.change', 'users.setCaps']) {
      const another = intent('z', 'n', operation);
      log
        .given(...others)
        .when(intend(another))
        .then(intended(another));
    }
  });

  it('has room for so many of one target and no more', () => {
    const same = Array.from({ length: pendingOfOneMax }, (_, n) => intended(intent(`n${n}`, 'w', 'webhooks.recover')));
    const again = intent('z', 'w', 'webhooks.recover');
    const elsewhere = intent('z', 'v', 'webhooks.recover');
    log
      .given(...same)
      .when(intend(again))
      .thenRefused('rate_limited');
    log
      .given(...same)
      .when(intend(elsewhere))
      .then(intended(elsewhere));
    log
      .given(...same.slice(1))
      .when(intend(again))
      .then(intended(again));
  });

  it('has room for so many and no more', () => {
    const all = Array.from({ length: pendingMax }, (_, index) => intended(intent(`n${index}`, `t${index}`)));
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
});
