export { ActivityModule, activityReadModel } from './activity.module';
export { ConversationPages } from './conversation-pages';
