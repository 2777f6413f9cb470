export { takeBackup } from './backup';
export { CannotCopy } from './connection';
export { copyDatabase, countRows, type HandOver } from './copy-database';
export type { GivenKeys } from './keys-file';
export { restoreBackup, restoringFolder } from './restore';
export type { OnProgress } from './progress';
