import { automationKind } from '@app/automations';
import { budgetKind } from '@app/budget';
import { conversationKind } from '@app/conversations';
import { idInStream, type StoredEvent } from '@app/event-store';
import { parseUuid, type AutomationId, type ConversationId, type OperationId, type UserId } from '@app/kernel';
import { userKind } from '@app/users';
import { operationKind, walletKind } from '@app/wallets';

/** The owner of a stream and the ids that it concerns, fixed by its first event. */
export interface Subject {
  readonly userId: UserId;
  /** The conversation whose journal the stream is. */
  readonly conversationId: ConversationId | null;
  readonly operationId: OperationId | null;
  /** The automation itself, or the one that began the stream. */
  readonly automationId: AutomationId | null;
}

/** The categories of streams with events that partners are notified of. */
export const toldCategories: readonly string[] = [
  conversationKind,
  operationKind,
  automationKind,
  walletKind,
  budgetKind,
  userKind,
].map(({ category }) => category);

/** Kinds of streams whose id is the user's. */
const ofUsers = [walletKind, budgetKind, userKind];

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
