import { conversationKind, type ConversationEvent } from '@app/conversations';
import { encodeEvent, type EventStore } from '@app/event-store';
import { asId, causeOfService, type ApprovalId, type Instant, type UserId } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';

/**
 * A conversation that, after its creation, has only events that are published to partners, written directly into the
 * store.
 */
export class ScriptedJournal {
  /** Ids of the published events, in order. */
  readonly ids: string[] = [];
  readonly stream = `conversation-${uuidV7()}`;
  private length = 0;

  private constructor(private readonly store: EventStore) {}

  static async begin(store: EventStore, at: Instant): Promise<ScriptedJournal> {
    const journal = new ScriptedJournal(store);
    const userId = asId<UserId>(uuidV7());
    const origin = 'conversation';
    await journal.append([{ type: 'conversation.created', at, title: null, origin, automationId: null, userId }]);
    return journal;
  }

  /** Adds `count` events in one append. */
  async tell(at: Instant, count = 1): Promise<void> {
    const events = Array.from({ length: count }, () => {
      const approvalId = asId<ApprovalId>(uuidV7());
      return { type: 'approval.expired', at, approvalId, endedReason: 'timeout', runKey: null } as const;
    });
    this.ids.push(...(await this.append(events)));
  }

  private async append(events: readonly ConversationEvent[]): Promise<string[]> {
    const cause = causeOfService('test', uuidV7());
    const encoded = events.map((event) => encodeEvent(conversationKind, event, cause));
    const appended = await this.store.append(this.stream, encoded, this.length - 1);
    if (appended.kind !== 'appended') throw new Error('somebody else appends');
    this.length += events.length;
    return encoded.map(({ id }) => String(id));
  }
}
