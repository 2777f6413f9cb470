import { Injectable } from '@nestjs/common';
import { conversationKind, isKnownRun, isWritable, type ConversationState, type TriggerRun } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import {
  asId,
  because,
  ok,
  refuse,
  type AutomationId,
  type Cause,
  type ConversationId,
  type Instant,
  type MessageId,
  type ProcessId,
  type Refusal,
  type Result,
  type UserId,
} from '@app/kernel';
import { EngineCatalog, Profile, requestIn, resolveProfile, RunAdmission, runKeyOf } from '@app/runs';
import { read } from '@app/schema';
import { UserQuotas } from '@app/quotas';
import { v7 as uuidV7 } from 'uuid';
import { occurrenceConversationId, occurrenceRunId, sharedConversationId } from '../automation/automation-ids';
import type { ActiveOccurrence, Automation } from '../automation/automation.state';
import { openDefinition } from '../definition/automation-definition';
import type { Admission } from './firing-ports';

/** Maximum number of archived conversations of one automation. */
const archivedMax = 100_000;

/** Determines an occurrence's conversation and run, and starts the run (docs/decisions/automations.md, "Occurrence"). */
@Injectable()
export class OccurrenceAdmission {
  constructor(
    private readonly states: FoldedStates,
    private readonly runs: RunAdmission,
    private readonly quotas: UserQuotas,
    private readonly offer: EngineCatalog,
  ) {}

  /**
   * The conversation and the run of an occurrence. Those of an earlier attempt are kept, so that a run whose start got
   * no answer is found again; only if that conversation was archived without the run is another one used.
   * @throws Unavailable
   */
  async placeFor(
    automationId: AutomationId,
    { definition, userId }: Automation,
    { occurrenceId, conversationId, runId }: Pick<ActiveOccurrence, 'occurrenceId' | 'conversationId' | 'runId'>,
  ): Promise<Pick<Admission, 'conversationId' | 'runId'>> {
    if (conversationId !== null && runId !== null) {
      const { state } = await this.states.fresh(conversationKind, conversationId);
      if (isKnownRun(state, runId) || isUsable(state, userId)) return { conversationId, runId };
    }
    const place =
      definition.conversation === 'new'
        ? occurrenceConversationId(occurrenceId)
        : await this.sharedConversation(automationId, userId);
    return { conversationId: place, runId: occurrenceRunId(occurrenceId, place) };
  }

  /** Starts the run. Refuses for the reasons of `runs.start`, and for a profile that can no longer run. @throws Unavailable */
  async admit(
    automationId: AutomationId,
    { definition: stored, userId }: Automation,
    { occurrenceId, trigger, conversationId, runId }: Admission,
    cause: Cause,
  ): Promise<Result<unknown>> {
    const definition = openDefinition(stored);
    // Its task is gone for good: a retry would not find it either.
    if (definition === null) return refuse(because('automation_completed'));
    const asked = definition.profile === undefined ? ok(undefined) : read(Profile, definition.profile);
    if (!asked.ok) return asked;
    const resolved = resolveProfile(asked.value, this.offer);
    if (!resolved.ok) return resolved;
    const crowded = await this.placeForConversation(definition.conversation, userId, conversationId);
    if (crowded !== null) return refuse(crowded);
    const runKey = runKeyOf(userId, runId);
    const request = requestIn({ input: { text: definition.prompt }, profile: definition.profile });
    const messageId = asId<MessageId>(uuidV7());
    const run = { runId, runKey, userId, messageId, request, ...resolved.value };
    const begin = (at: Instant, holder: ProcessId | null): TriggerRun => ({
      type: 'TriggerRun',
      at,
      title: definition.name,
      automationId,
      occurrenceId,
      trigger,
      run: { ...run, holder },
    });
    // The id derives from the occurrence and its conversation, so no other caller can use it for another run.
    return this.runs.admit({ userId, conversationId, runId, runKey, cause }, begin, {
      chosenId: false,
      newConversation: definition.conversation === 'new',
      origin: 'automation',
    });
  }

  /** Reserves a place in the user's quota for a conversation that does not exist yet. Returns null, or the refusal. */
  private async placeForConversation(
    conversation: Automation['definition']['conversation'],
    userId: UserId,
    id: ConversationId,
  ): Promise<Refusal | null> {
    // Reserving a place again changes nothing, so whether an occurrence's own conversation exists need not be read.
    const isThere = conversation !== 'new' && (await this.states.cached(conversationKind, id)).state.userId !== null;
    return isThere ? null : this.quotas.reserve('conversations', { userId, id });
  }

  /** The first of the automation's shared conversations that is not archived. */
  private async sharedConversation(automationId: AutomationId, userId: UserId): Promise<ConversationId> {
    for (let number = 1; number <= archivedMax; number += 1) {
      const conversationId = sharedConversationId(automationId, number);
      const { state } = await this.states.fresh(conversationKind, conversationId);
      if (isUsable(state, userId)) return conversationId;
    }
    throw new Error(`${automationId} has had too many conversations`);
  }
}

/** A conversation that does not exist yet begins with its first run. */
function isUsable(state: ConversationState, userId: UserId): boolean {
  return state.userId === null || isWritable(state, userId);
}
