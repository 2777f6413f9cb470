export { openApiOf } from './contract';
export { asyncApiOf } from './events-document';
export {
  CannotStart,
  readDotEnv,
  readProcessConfiguration,
  runProcess,
  tellWarnings,
  type Stoppable,
} from './main-process';
export { openProduct, PortInUse, startServing, startWorking, type RunningProcess } from './serving';
export { readStore } from './slices';
