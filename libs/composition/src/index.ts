export { CannotStart, readDotEnv, readProcessConfiguration, runProcess, type Stoppable } from './main-process';
export { createProcessModule, type ProcessOptions } from './process.module';
export { openProduct, PortInUse, startServing, startWorking, type RunningProcess } from './serving';
export { readStore } from './slices';
