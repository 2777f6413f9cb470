export { CannotMigrate, copyEvents, countEvents, hasSameBytes, type CopyForm } from './copy-events';
export {
  checkpoints,
  forgetSnapshots,
  readMoveTarget,
  refuseUnhandledInputs,
  refuseWhileRunning,
  switchStore,
} from './store-switch';
export { VerbatimStore, type VerbatimEvent } from './verbatim-store';
export { verifyCopy } from './verify-copy';
