export { type Answer, type Frame, requestJson, TestClient } from './deployment-client';
export { OperatorClient, operatorOf } from './operator-client';
export { FeedFollower, type ToldEvent } from './feed-follower';
export { FollowingReader, type SeenEvent } from './following-reader';
