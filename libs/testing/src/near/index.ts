export { NearChain } from './near-chain';
export { relayKey, startNearLoopback, type NearLoopback } from './near-loopback';
