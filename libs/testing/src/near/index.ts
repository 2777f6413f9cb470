export { NearChain } from './near-chain';
export type { QuoteAnswer } from './near-quotes';
export { oneClickKey, relayKey, startNearLoopback, type NearLoopback } from './near-loopback';
export type { ContractViews } from './near-node';
export type { WireSigned } from './near-signatures';
