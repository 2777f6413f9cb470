export { takeBackup } from './backup';
export { CannotCopy } from './connection';
export { copyDatabase, countRows } from './copy-database';
export { restoreBackup, restoringFolder } from './restore';
export type { OnProgress } from './progress';
