export { fold, instant, specification } from './specification';
export { counted, type CounterCommand, type CounterEvent, counterKind, someCause } from './counter';
