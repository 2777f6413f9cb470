export { appendCounted, foreignEvent, newCategory } from './counters';
export { EmbeddedStore, impatient, LossyProxy, patient, until } from './embedded-stores';
export { makeStore } from './made-store';
export {
  collect,
  type ContractStore,
  numbers,
  openContractStore,
  pause,
  Recorder,
  testEvent,
  testEvents,
  uniqueStream,
} from './contract-store';
export {
  contents,
  expectRefusalOfWrongBytes,
  expectSameMeaning,
  identifiers,
  integers,
  optional,
  texts,
  uuids,
} from './messages';
export { batch, batchPart, identifier, leave, readRequest, structuredUuid, textUuid } from './protocol';
export { WatchedCalls } from './watched-calls';
