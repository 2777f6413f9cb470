export { type Answer, type Frame, requestJson, TestClient } from './deployment-client';
export { FollowingReader, type SeenEvent } from './following-reader';
