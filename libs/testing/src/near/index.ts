export { NearChain } from './near-chain';
export type { QuoteAnswer } from './near-quotes';
export { oneClickKey, relayKey, startNearLoopback, type ContractViews, type NearLoopback } from './near-loopback';
export type { WireSigned } from './near-signatures';
