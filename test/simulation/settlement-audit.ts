import type { OperationEvent } from '@app/wallets';
import type { Taken } from './settlement-provider';
import type { SettlementSchedule } from './settlement-schedule';

/** The errors at the end of a schedule: differences between the recorded events and the effects. */
export function wrongsOf(schedule: SettlementSchedule): string[] {
  const { events, provider, contract } = schedule;
  const taken = [...provider.taken.values()];
  const ofActions = contract.actions.flatMap((_, index) =>
    wrongsOfAction(
      index,
      events.filter((event) => 'index' in event && event.index === index),
      taken.filter((effect) => effect.index === index),
    ),
  );
  return [...ofActions, ...wrongsOfOrder(taken), ...wrongsOfEnd(schedule)];
}

function wrongsOfAction(index: number, events: readonly OperationEvent[], effects: readonly Taken[]): string[] {
  const wrongs: string[] = [];
  const [effect] = effects;
  if (effects.length > 1) wrongs.push(`was effected ${effects.length} times`);
  if (effect?.isGreedy === true) wrongs.push('took more than was ordered');
  const accepted = events.filter((event) => event.type === 'submission.accepted');
  if (accepted.length > 1) wrongs.push(`was accepted ${accepted.length} times`);
  const [acceptance] = accepted;
  if (acceptance !== undefined && acceptance.providerReference !== effect?.reference)
    wrongs.push('has a reference that is not its effect');
  const outcomes = events.flatMap(({ type }) => outcomeOf[type] ?? []);
  // An action may also fail without an effect; otherwise the recorded outcome is the effect's.
  const expected =
    effect === undefined ? outcomes.filter((outcome) => outcome === 'failed').slice(0, 1) : [effect.outcome];
  if (outcomes.join() !== expected.join())
    wrongs.push(`is recorded as [${outcomes.join()}], and ended as [${expected.join()}]`);
  return wrongs.map((wrong) => `action ${index} ${wrong}`);
}

const outcomeOf: { readonly [type: string]: Taken['outcome'] | undefined } = {
  'action.settled': 'settled',
  'action.refunded': 'refunded',
  'action.failed': 'failed',
};

function wrongsOfOrder(taken: readonly Taken[]): string[] {
  return taken.flatMap(({ index, takenAtMs }) => {
    if (index === 0) return [];
    const before = taken.find((effect) => effect.index === index - 1);
    const waited = before?.outcome === 'settled' && before.settlesAtMs <= takenAtMs;
    return waited ? [] : [`action ${index} did not wait for the one before`];
  });
}

function wrongsOfEnd({ state, events, contract }: SettlementSchedule): string[] {
  if (state === null) return events.length === 0 ? [] : ['never began, and has a history'];
  const ends = events.filter(({ type }) => type === 'operation.settled' || type === 'operation.failed').length;
  const settled = events.filter(({ type }) => type === 'action.settled').length === contract.actions.length;
  const status = settled ? 'settled' : 'failed';
  return [
    ...(ends === 1 ? [] : [`ended ${ends} times`]),
    ...(state.status === status ? [] : [`ended ${state.status} instead of ${status}`]),
  ];
}
