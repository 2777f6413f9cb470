import type { ConversationPage } from '@app/conversations';
import type { UserId } from '@app/kernel';

/** First pages of `conversations.list`, which the composition binds to the conversations themselves: their cursors continue that very list. */
export abstract class ConversationPages {
  /** The user's conversations that are not archived, most recently active first: the active ones, or those of origin `conversation`. */
  abstract first(userId: UserId, which: 'active' | 'ordinary', limit: number): Promise<ConversationPage>;
}
