export { goodKey, startLoopback, type Loopback } from './loopback-app';
export { SetClock } from './ports-in-memory';
