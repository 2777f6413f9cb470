import { Member, type Contract } from '@app/http';
import { instant, integer, json, mapOf, nullable, oneOf, pageOfShape, shape, text, uuid } from '@app/schema';
import type { Shaped } from '@app/schema';

const reasonLengthMax = 500;

/** The body of a change that needs only a reason. */
export class ChangeReason {
  @Member(
    text({
      min: 1,
      max: reasonLengthMax,
      visible: true,
      description: 'Why; it is kept in the log and in the events that follow',
    }),
  )
  readonly reason: string;
}

/** The answer to a change: it is made, and takes effect in every replica. */
export const MadeChange = shape('MadeChange', {
  intentId: uuid({ description: 'Its id in the log; the events that follow from it name it as their cause' }),
  operation: text({ description: 'The name of the operation' }),
  target: text({ description: 'The id, or the name, of what was changed' }),
  at: instant(),
});
export type MadeChange = Shaped<typeof MadeChange>;

const types = ['operator.intended', 'operator.completed', 'operator.read'] as const;

export const LogEntry = shape('LogEntry', {
  seq: integer({ min: 1, description: 'Its place in the log' }),
  type: oneOf(types, { description: 'A change was asked for, or was completed; or people’s data were read' }),
  at: instant(),
  intentId: nullable(uuid(), { description: 'Of both entries of a change' }),
  operator: nullable(text(), { description: 'Who asked, by the `sub` of their token' }),
  operation: nullable(text(), { description: 'The name of the operation' }),
  target: nullable(text(), { description: 'The id, or the name, of what it is about' }),
  parameters: nullable(mapOf(json()), { description: 'What else was asked' }),
  reason: nullable(text(), { description: 'Why, in the operator’s words' }),
  outcome: nullable(text(), { description: 'Of a completed change: `done`, or why it was refused' }),
});
export type LogEntry = Shaped<typeof LogEntry>;

export const LogPage = pageOfShape('Log', LogEntry);
export type LogPage = Shaped<typeof LogPage>;

const intentId = '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e5f';
const at = '2026-11-21T09:15:00.000Z';

export const operatorsExamples = {
  change: { intentId, operation: 'controls.pause', target: 'withdrawals', at } satisfies MadeChange,
  log: {
    data: [
      {
        seq: 1,
        type: 'operator.intended',
        at,
        intentId,
        operator: 'ada@example.com',
        operation: 'controls.pause',
        target: 'withdrawals',
        parameters: {},
        reason: 'the provider has an incident',
        outcome: null,
      },
    ],
    nextCursor: null,
  } satisfies LogPage,
};

/** Returns the example of a change's answer. */
export function madeExample(operation: string, target: string): MadeChange {
  return { ...operatorsExamples.change, operation, target };
}

/** The terms of a change that needs only a reason. */
interface ReasonedChange {
  readonly body: typeof ChangeReason;
  readonly answer: typeof MadeChange;
  readonly examples: NonNullable<Contract['examples']>;
}

/** Returns the terms of a change that needs only a reason, for its contract. */
export function reasonedChange(operation: string, target: string, reason: string): ReasonedChange {
  return {
    body: ChangeReason,
    answer: MadeChange,
    examples: { body: { reason }, answer: madeExample(operation, target) },
  };
}
