export { openApiOf } from './contract';
export { asyncApiOf } from './events-document';
export { readDotEnv, readProcessConfiguration, runProcess, tellWarnings, type Stoppable } from './main-process';
export { startPatiently } from './wait-for-stores';
export { openApi, openProduct, startServing, startWorking, type RunningProcess } from './serving';
export { countSealed, rotateMaster, type SealedCounts } from './rotate-master';
export { holdsSealed, opensSealed } from './sealing-check';
export { CannotStart, describeFailure, listenFailure } from './start-failures';
export { readStore } from './slices';
