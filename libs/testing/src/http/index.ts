export { goodKey, type Loopback, SetClock, startLoopback } from './loopback-app';
