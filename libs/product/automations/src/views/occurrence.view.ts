import { occurrenceTriggers, type Words } from '@app/kernel';
import { instant, integer, nullable, oneOf, pageOfShape, shape, uuid, type Shaped } from '@app/schema';
import { truncatedText } from '../definition/automation-shapes';
import { deliveries } from '../automation/read-model/automation.row';
import type { ListedOccurrence } from '../automation/read-model/occurrence.queries';
import { shortenedWords, type Truncated } from '../definition/behavior';

/** Longest text of an issue and of a reason, in code points. */
export const textLengthMax = 240;

export const delivery = oneOf(deliveries, {
  description:
    '`pending`: waits to run; `deferred`: an admission failed, and is tried again; `accepted`: handed to a run; `rejected`: refused by the delivery policy, or for good; `canceled`: stopped before it ran; `skipped`: another one was active; `coalesced`: merged into a newer match',
});

export const deliveryReason = nullable(
  truncatedText('DeliveryReason', textLengthMax, 'Why it was not delivered, or not yet'),
  {
    description: 'Null where there is nothing to say',
  },
);

/** Occurrence, as the API answers it (docs/decisions/automations.md). */
const Occurrence = shape('Occurrence', {
  id: uuid(),
  at: instant({ description: 'When it was due, or when its input was recorded' }),
  delivery,
  trigger: oneOf(occurrenceTriggers, { description: 'What made the automation fire; `event` is reserved' }),
  inputId: nullable(uuid(), { description: 'Of the signal, webhook event or invocation; null for a schedule' }),
  reason: deliveryReason,
  runId: nullable(uuid(), { description: 'The run that it was handed to' }),
  conversationId: nullable(uuid(), { description: "The run's conversation" }),
  coalescedInto: nullable(uuid(), { description: 'The occurrence that took its place' }),
  attempts: integer({ min: 0, description: 'Admissions that were tried' }),
});
type OccurrenceView = Shaped<typeof Occurrence>;

export const OccurrencePage = pageOfShape('Occurrence', Occurrence);
export type OccurrencePage = Shaped<typeof OccurrencePage>;

export function occurrenceView({ openedPosition: _, reason, ...occurrence }: ListedOccurrence): OccurrenceView {
  return { ...occurrence, reason: reasonView(reason) };
}

/** The reason for an occurrence's delivery state, as the API shows it. */
export function reasonView(reason: Words | null): Truncated | null {
  return reason === null ? null : shortenedWords(reason, textLengthMax);
}
