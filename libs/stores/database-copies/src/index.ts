export { takeBackup } from './backup';
export { CannotCopy } from './connection';
export { copyDatabase, countRows, type HandOver } from './copy-database';
export { restoreBackup, restoringFolder } from './restore';
export type { OnProgress } from './progress';
