export { debianProgram, installedWithinMs } from './debian';
export { ask, type Command, findCompiler } from './csharp-compiler';
export { startPgbouncer } from './pgbouncer';
