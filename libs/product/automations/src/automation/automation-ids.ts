import { asId } from '@app/kernel';
import type { AutomationId, ConversationId, InputId, Instant, OccurrenceId, RunId } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';

/*
 * Ids are derived from their origins (docs/decisions/automations.md), so that two schedulers, or a killed one and its
 * successor, give the same thing the same id. The parts are joined by `/`, which only the last part may contain.
 */

/** The id of the occurrence for a due time. */
export function dueOccurrenceId(automationId: AutomationId, epoch: string, dueAt: Instant): OccurrenceId {
  return asId<OccurrenceId>(uuidV5(`due/${epoch}/${dueAt}`, automationId));
}

export function inputOccurrenceId(automationId: AutomationId, inputId: InputId): OccurrenceId {
  return asId<OccurrenceId>(uuidV5(`input/${inputId}`, automationId));
}

/**
 * Depends on the conversation too, because a run never changes its conversation, and the shared one may be archived
 * between two attempts at admission.
 */
export function occurrenceRunId(occurrenceId: OccurrenceId, conversationId: ConversationId): RunId {
  return asId<RunId>(uuidV5(`run/${conversationId}`, occurrenceId));
}

/** The id of a conversation for this occurrence alone. */
export function occurrenceConversationId(occurrenceId: OccurrenceId): ConversationId {
  return asId<ConversationId>(uuidV5('conversation', occurrenceId));
}

/** The id of the conversation for all occurrences; `number` counts from 1 and grows when the previous one was archived. */
export function sharedConversationId(automationId: AutomationId, number: number): ConversationId {
  return asId<ConversationId>(uuidV5(`conversation/${number}`, automationId));
}
