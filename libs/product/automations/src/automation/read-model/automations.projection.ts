import { idInStream, type Recorded } from '@app/event-store';
import { unreachable } from '@app/kernel';
import type { Projection } from '@app/read-store';
import type { AutomationEvent, AutomationLifeEvent, OccurrenceEvent } from '../automation.events';
import { AutomationRow, OccurrenceRow } from './automation.row';
import { automationKind } from '../automation.stream';

/** Table `automations`. */
export const automationsProjection: Projection<AutomationRow, AutomationEvent> = {
  name: 'automations',
  version: 4,
  row: AutomationRow,
  kinds: [automationKind],
  keyOf: ({ event, stream }) =>
    isChange(event) || event.type === 'automation.created' ? idInStream(automationKind, stream) : null,
  project: (row, recorded) => {
    if (row === null) return createRow(recorded);
    return isChange(recorded.event) ? applyChange(row, recorded.event) : row;
  },
  counters: ({ userId, state }) => [`${userId}/${state}`],
};

/** Events that change an automation as lists show it. */
type Change =
  Exclude<AutomationLifeEvent, { readonly type: 'automation.created' | 'automation.evaluated' }> | Opened | Accepted;
type Opened = Extract<AutomationEvent, { readonly type: 'approval.opened' }>;
type Accepted = Extract<AutomationEvent, { readonly type: 'occurrence.accepted' }>;

const changes: ReadonlySet<string> = new Set<Change['type']>([
  'automation.updated',
  'automation.paused',
  'automation.resumed',
  'automation.archived',
  'automation.held',
  'automation.released',
  'automation.completed',
  'automation.webhook_rotated',
  'approval.opened',
  'occurrence.accepted',
]);

function isChange(event: AutomationEvent): event is Change {
  return changes.has(event.type);
}

function createRow({ event, stream, position }: Recorded<AutomationEvent>): AutomationRow | null {
  if (event.type !== 'automation.created') return null;
  return {
    id: idInStream(automationKind, stream) ?? '',
    userId: event.userId,
    state: 'enabled',
    held: false,
    completed: false,
    ...definitionColumns(event),
    contractApprovalId: null,
    webhookKeyId: null,
    occurrences: 0,
    createdAt: event.at,
    archivedAt: null,
    openedPosition: position,
    position,
  };
}

/** The columns of a definition and of the activation that begins with it. */
function definitionColumns({ definition, symbols, definitionVersion, epoch, at }: Defining) {
  return { definition, symbols, definitionVersion, epoch, epochAt: at, updatedAt: at };
}

type Defining = Extract<AutomationEvent, { type: 'automation.created' | 'automation.updated' }>;

function applyChange(row: AutomationRow, event: Change): AutomationRow {
  const updatedAt = event.at;
  switch (event.type) {
    case 'automation.updated': {
      // Sealed rules cannot be compared. Where this one differs and has a contract, the same append opens the approval of that.
      const contractApprovalId = event.definition.contract === undefined ? null : row.contractApprovalId;
      return { ...row, ...definitionColumns(event), completed: false, contractApprovalId };
    }
    case 'automation.paused':
      return { ...row, state: 'paused', updatedAt };
    case 'automation.resumed':
      return { ...row, state: 'enabled', epoch: event.epoch, epochAt: event.at, updatedAt };
    case 'automation.archived':
      return { ...row, state: 'archived', archivedAt: event.at, updatedAt };
    case 'automation.held':
      return { ...row, held: true };
    case 'automation.released':
      return { ...row, held: false };
    case 'automation.completed':
      return { ...row, completed: true };
    case 'automation.webhook_rotated':
      return { ...row, webhookKeyId: event.keyId };
    case 'approval.opened':
      return { ...row, contractApprovalId: event.approvalId };
    case 'occurrence.accepted':
      return { ...row, occurrences: row.occurrences + 1 };
    default:
      return unreachable(event);
  }
}

/** Table `occurrences`. */
export const occurrencesProjection: Projection<OccurrenceRow, AutomationEvent> = {
  name: 'occurrences',
  version: 1,
  row: OccurrenceRow,
  kinds: [automationKind],
  keyOf: ({ event }) => (isOfOccurrence(event) ? event.occurrenceId : null),
  isFirst: ({ event }) => event.type === 'occurrence.arose',
  project: (row, recorded) => {
    const { event } = recorded;
    if (!isOfOccurrence(event)) return row;
    return row === null ? createOccurrenceRow(recorded) : applyOutcome(row, event);
  },
};

function isOfOccurrence(event: AutomationEvent): event is OccurrenceEvent {
  return event.type.startsWith('occurrence.');
}

function createOccurrenceRow({ event, stream, position }: Recorded<AutomationEvent>): OccurrenceRow | null {
  if (event.type !== 'occurrence.arose') return null;
  return {
    id: event.occurrenceId,
    automationId: idInStream(automationKind, stream) ?? '',
    at: event.forAt,
    delivery: 'pending',
    trigger: event.trigger,
    inputId: event.inputId,
    reason: null,
    runId: null,
    conversationId: null,
    coalescedInto: null,
    attempts: 0,
    openedPosition: position,
    position,
  };
}

function applyOutcome(row: OccurrenceRow, event: OccurrenceEvent): OccurrenceRow {
  switch (event.type) {
    case 'occurrence.admitting':
      return { ...row, delivery: 'pending', attempts: event.attempt, reason: null };
    case 'occurrence.deferred':
      return { ...row, delivery: 'deferred', reason: event.reason };
    case 'occurrence.accepted':
      return {
        ...row,
        delivery: 'accepted',
        reason: null,
        runId: event.runId,
        conversationId: event.conversationId,
      };
    case 'occurrence.rejected':
      return { ...row, delivery: 'rejected', reason: event.reason };
    case 'occurrence.canceled':
      return { ...row, delivery: 'canceled', reason: event.reason };
    case 'occurrence.skipped':
      return { ...row, delivery: 'skipped', reason: event.reason };
    case 'occurrence.coalesced':
      return { ...row, delivery: 'coalesced', reason: null, coalescedInto: event.into };
    case 'occurrence.arose':
    case 'occurrence.finished':
      return row;
    default:
      return unreachable(event);
  }
}
