export { fold, instant, specification } from './specification';
export { counted, type CounterCommand, type CounterEvent, type CounterState, counterKind, someCause } from './counter';
export { MemoryKeys } from './memory-keys';
