export { goodKey, type Loopback, type LoopbackUser, signIn, startLoopback } from './loopback-app';
export { SetClock } from './ports-in-memory';
