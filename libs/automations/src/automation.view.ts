import type { AutomationId, Instant } from '@app/kernel';
import type { AutomationDefinition } from './automation-definition';
import type { AutomationRow } from './automation.row';
import { revisionOf, type Automation } from './automation.state';
import { nextDue } from './schedule';

/** Automation, as the API answers it (decisions.md, section 6). */
export interface AutomationView {
  readonly id: string;
  readonly name: string;
  readonly state: 'enabled' | 'paused' | 'archived';
  readonly revision: string;
  readonly definitionVersion: number;
  readonly definition: AutomationDefinition;
  readonly contractApprovalId: string | null;
  readonly held: boolean;
  readonly nextRunAt: string | null;
  readonly occurrences: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | null;
}

/** A text that was cut where it was too long. */
export interface Truncated {
  readonly text: string;
  readonly truncated: boolean;
}

/** What the view of a row needs of it. */
export type ListedAutomation = Omit<AutomationRow, 'userId' | 'webhookKeyId' | 'searchWords' | 'position'>;

/** The view of an automation as its stream has it. */
export function viewOfState(id: AutomationId, automation: Automation, now: Instant): AutomationView {
  return {
    id,
    name: automation.definition.name,
    state: automation.state,
    revision: revisionOf(automation),
    definitionVersion: automation.definitionVersion,
    definition: automation.definition,
    contractApprovalId: automation.contractApproval?.approvalId ?? null,
    held: automation.held,
    nextRunAt: nextRunAt(automation, now),
    occurrences: automation.occurrences,
    createdAt: automation.createdAt,
    updatedAt: automation.updatedAt,
    archivedAt: automation.archivedAt,
  };
}

/** The same view of an automation as the read model has it. */
export function viewOfRow(row: ListedAutomation, now: Instant): AutomationView {
  const { id, name, state, definitionVersion, definition, contractApprovalId, held, occurrences } = row;
  const { createdAt, updatedAt, archivedAt } = row;
  const revision = revisionOf(row);
  return {
    ...{ id, name, state, revision, definitionVersion, definition, contractApprovalId, held },
    ...{ nextRunAt: nextRunAt(row, now), occurrences, createdAt, updatedAt, archivedAt },
  };
}

type Scheduled = Pick<Automation, 'state' | 'held' | 'completed' | 'definition'> & { readonly epochAt: string };

/** When the rule is looked at next; null where events wake it, and as long as nothing can fire. */
function nextRunAt({ state, held, completed, definition, epochAt }: Scheduled, now: Instant): Instant | null {
  const { wake, firing } = definition;
  if (state !== 'enabled' || held || completed || wake.kind === 'event') return null;
  // Reason for the assertion: rows keep instants as the events spell them.
  const due = nextDue(wake.schedule, epochAt as Instant, now);
  return due === null || (firing.endAt !== undefined && due >= firing.endAt) ? null : due;
}
