import { Injectable, Module } from '@nestjs/common';
import { operationCopy } from '@app/approvals';
import { automationKind } from '@app/automations';
import { budgetKind } from '@app/budget';
import { conversationKind } from '@app/conversations';
import { decodeEvent, EventStore, idInStream, unlessDamaged, type Recorded, type StoredEvent } from '@app/event-store';
import { DamagedStream, parseUuid } from '@app/kernel';
import type { AutomationId, ConversationId, OperationId, UserId } from '@app/kernel';
import { userKind } from '@app/users';
import { operationKind, operationView, walletKind, type OperationEvent } from '@app/wallets';
import { LRUCache } from 'lru-cache';
import { isNoticeSource, noticeOf, type NoticeSource, type Subject } from './notice-of';
import type { Notice } from './notice';

/** Maximum number of subjects cached per process; each is a few ids, which never change. */
const subjectsMax = 50_000;
/** Events whose streams are read concurrently. */
const lookUpsAtOnce = 64;

/** Kinds of streams with events that partners are notified of. */
const tellingKinds = [conversationKind, operationKind, automationKind, walletKind, budgetKind, userKind] as const;
/** Kinds of streams whose id is the user's. */
const ofUsers = [walletKind, budgetKind, userKind];

/** The categories of streams with events that partners are notified of. */
export const toldCategories: readonly string[] = tellingKinds.map(({ category }) => category);

/** Events of an operation that report its outcome. */
const outcomes: ReadonlySet<string> = new Set<OperationEvent['type']>([
  'submission.accepted',
  'operation.settled',
  'operation.failed',
]);

/** Whether events of this type can be notices, or contribute to one; events of all other types cannot, in any stream. */
export function canTell(type: string): boolean {
  return isNoticeSource(type) || outcomes.has(type);
}

/**
 * Notices for partners, derived from stored events alone: the same event always gives the same notice. An operation of
 * a conversation is reported by the journal's copy, any other by its own stream, so that each fact is reported once.
 */
@Injectable()
export class Notices {
  private readonly subjects = new LRUCache<string, Subject>({ max: subjectsMax });

  constructor(private readonly store: EventStore) {}

  /** The notices among events, in their order; most events are none, and events of damaged streams are skipped. Throws Unavailable. */
  async of(events: readonly StoredEvent[]): Promise<Notice[]> {
    // A notice contains the event, with its words open.
    const told = await this.store.open(events.filter(({ type }) => canTell(type)));
    const notices: Notice[] = [];
    for (let from = 0; from < told.length; from += lookUpsAtOnce) {
      const made = await Promise.all(
        told.slice(from, from + lookUpsAtOnce).map((stored) => unlessDamaged(() => this.ofOne(stored))),
      );
      notices.push(...made.filter((notice) => notice !== null));
    }
    return notices;
  }

  /** The notice of the event at a revision; null where it is none, or was deleted for good. Throws Unavailable, DamagedStream. */
  async at(stream: string, revision: number): Promise<Notice | null> {
    try {
      const [stored] = await this.store.readKnown(stream, revision, 1);
      return stored === undefined ? null : await this.ofOne(stored);
    } catch (error) {
      if (error instanceof DamagedStream && error.damage === 'tombstoned') return null;
      throw error;
    }
  }

  private async ofOne(stored: StoredEvent): Promise<Notice | null> {
    const kind = tellingKinds.find((each) => idInStream(each, stored.stream) !== null);
    const subject = kind === undefined ? null : await this.subject(stored);
    if (kind === undefined || subject === null) return null;
    const recorded = outcomes.has(stored.type) ? await this.outcome(stored) : decoded(kind, stored);
    return recorded === null ? null : noticeOf(recorded, subject);
  }

  private async subject(stored: StoredEvent): Promise<Subject | null> {
    const { stream } = stored;
    const known = this.subjects.get(stream);
    if (known !== undefined) return known;
    const [first] = stored.revision === 0 ? [stored] : await this.store.readKnown(stream, 0, 1);
    const subject = first === undefined ? null : subjectOf(first);
    if (subject !== null) this.subjects.set(stream, subject);
    return subject;
  }

  /** The operation's outcome as a journal event. Null if a conversation's journal already reports it, or it was reported before. */
  private async outcome(stored: StoredEvent): Promise<Recorded<NoticeSource> | null> {
    const events = await this.store.readKnown(stored.stream, 0, stored.revision + 1);
    const history = events.map((event) => decodeEvent<OperationEvent>(operationKind, event));
    const view = operationView(history);
    const recorded = history.at(-1);
    if (view === null || view.conversationId !== null || recorded === undefined) return null;
    const isSignedAgain = history.slice(0, -1).some(({ event }) => event.type === 'submission.accepted');
    if (recorded.event.type === 'submission.accepted' && isSignedAgain) return null;
    const event = operationCopy(recorded, view);
    return event === null ? null : { ...stored, payload: { ...event }, event };
  }
}

/** Notices for partners; webhooks and the feed import this module. */
@Module({ providers: [Notices], exports: [Notices] })
export class NoticesModule {}

/** The subject of a stream, from its first event; null for a stream that this product does not write. */
export function subjectOf({ stream, payload, metadata }: StoredEvent): Subject | null {
  const { userId = metadata.private?.['userId'], automationId } = payload;
  const owner = parseUuid<UserId>(ofUsers.map((kind) => idInStream(kind, stream)).find((id) => id !== null) ?? userId);
  if (owner === null) return null;
  return {
    userId: owner,
    conversationId: parseUuid<ConversationId>(idInStream(conversationKind, stream)),
    operationId: parseUuid<OperationId>(idInStream(operationKind, stream)),
    automationId: parseUuid<AutomationId>(idInStream(automationKind, stream) ?? automationId),
  };
}

function decoded(kind: (typeof tellingKinds)[number], stored: StoredEvent): Recorded<NoticeSource> {
  // Reason for the assertion: each kind's events are among those of the union.
  return decodeEvent(kind as Parameters<typeof decodeEvent<NoticeSource>>[0], stored);
}
