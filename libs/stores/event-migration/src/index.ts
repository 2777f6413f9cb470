export { CannotMigrate, copyEvents, countEvents } from './copy-events';
export { checkpoints, readMoveTarget, refuseUnhandledInputs, refuseWhileRunning, switchStore } from './store-switch';
export { VerbatimStore } from './verbatim-store';
export { verifyCopy } from './verify-copy';
