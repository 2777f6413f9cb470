import type { PathParameter } from '@app/http';
import { notFound, ok, refuse, type AutomationId, type Instant, type Result } from '@app/kernel';
import { countedPageOfShape, boolean, instant, integer, nullable, shape, uuid, type Shaped } from '@app/schema';
import { shownDefinition, type ShownDefinition } from '../definition/automation-definition';
import { automationState, definitionVersion, revision, shownName } from '../definition/automation-shapes';
import type { AutomationRow } from '../automation/read-model/automation.row';
import { revisionOf, type Automation, type AutomationState } from '../automation/automation.state';
import { shownDefinitionShape } from '../definition/definition.schema';
import { nextDue } from '../definition/schedule';

/** Automation, as the API answers it (docs/decisions/automations.md). */
export const AutomationShape = shape('Automation', {
  id: uuid(),
  name: shownName,
  state: automationState,
  revision,
  definitionVersion,
  definition: shownDefinitionShape,
  contractApprovalId: nullable(uuid(), {
    description: "The approval that asks for the definition's contract; null where it has none",
  }),
  held: boolean({ description: 'An operator keeps it from firing' }),
  nextRunAt: nullable(instant(), {
    description: 'When the rule is checked next; null where events wake it, and as long as it cannot fire',
  }),
  occurrences: integer({ min: 0, description: 'Accepted ones, over all versions' }),
  createdAt: instant(),
  updatedAt: instant({ description: 'When its definition or its state last changed' }),
  archivedAt: nullable(instant(), { description: 'When it was removed: it stays readable and never fires again' }),
});
/** Members that a given definition may leave out are filled in. */
export type AutomationView = Omit<Shaped<typeof AutomationShape>, 'definition'> & {
  readonly definition: ShownDefinition;
};

export const AutomationPage = countedPageOfShape('Automation', AutomationShape);
export type AutomationPage = Shaped<typeof AutomationPage>;

/** Members of a row that its view does not need. */
export const unlisted = ['userId', 'webhookKeyId', 'symbols', 'position'] as const;

/** The members of a row that its view needs. */
export type ListedAutomation = Omit<AutomationRow, (typeof unlisted)[number]>;

/** The view of an automation, from its folded stream. */
export function viewOfState(id: AutomationId, automation: Automation, now: Instant): AutomationView {
  const definition = shownDefinition(automation.definition);
  return {
    id,
    name: definition.name,
    state: automation.state,
    revision: revisionOf(automation),
    definitionVersion: automation.definitionVersion,
    definition,
    contractApprovalId: automation.contractApproval?.approvalId ?? null,
    held: automation.held,
    nextRunAt: nextRunAt(automation, now),
    occurrences: automation.occurrences,
    createdAt: automation.createdAt,
    updatedAt: automation.updatedAt,
    archivedAt: automation.archivedAt,
  };
}

/** The answer of a call about one automation, given its state; `not_found` where it does not exist. */
export function answerOf(id: AutomationId, automation: AutomationState, now: Instant): Result<AutomationView> {
  return automation === null ? refuse(notFound) : ok(viewOfState(id, automation, now));
}

/** The view of an automation, from its row in the read model, whose words are open. */
export function viewOfRow(row: ListedAutomation, now: Instant): AutomationView {
  const { id, state, definitionVersion, contractApprovalId, held, occurrences } = row;
  const definition = shownDefinition(row.definition);
  const { createdAt, updatedAt, archivedAt } = row;
  return {
    id,
    name: definition.name,
    state,
    revision: revisionOf(row),
    definitionVersion,
    definition,
    contractApprovalId,
    held,
    nextRunAt: nextRunAt(row, now),
    occurrences,
    createdAt,
    updatedAt,
    archivedAt,
  };
}

type Scheduled = Pick<Automation, 'state' | 'held' | 'completed' | 'definition'> & { readonly epochAt: string };

/** When the rule is evaluated next; null where events wake it, and as long as nothing can fire. */
function nextRunAt({ state, held, completed, definition, epochAt }: Scheduled, now: Instant): Instant | null {
  const { wake, firing } = definition;
  if (state !== 'enabled' || held || completed || wake.kind === 'event') return null;
  // Reason for the assertion: rows keep instants as the events spell them.
  const due = nextDue(wake.schedule, epochAt as Instant, now);
  return due === null || (firing.endAt !== undefined && due >= firing.endAt) ? null : due;
}

/** The path parameter of an automation's id. */
export const automationIdParameter: PathParameter = {
  description: 'An automation of the user',
  example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e04',
};
