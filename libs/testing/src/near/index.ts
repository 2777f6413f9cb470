export { NearChain } from './near-chain';
export { relayKey, startNearLoopback, type ContractViews, type NearLoopback } from './near-loopback';
export type { WireSigned } from './near-signatures';
