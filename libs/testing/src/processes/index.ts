export { type AppName, isReady, TestProcess } from './deployment-process';
export { freePorts } from './free-ports';
export { isRunning, treeOf } from './process-tree';
export { childrenOf, peakBytesOf } from './process-memory';
export { cpuMsOf } from './cpu-time';
export { type Sandbox, type SandboxAccess, startSandbox } from './sandbox';
