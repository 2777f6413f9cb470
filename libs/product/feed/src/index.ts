export { feedChannel } from './feed-channel';
export { feedGroup } from './feed.contract';
export { FeedModule } from './feed.module';
