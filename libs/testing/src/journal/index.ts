export { causeOf, message, newConversationId, newUserId, startStores, type TestStores } from './journal-store';
export { type JournalApp, startJournalApp, StreamClient } from './journal-app';
