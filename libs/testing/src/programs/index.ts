export { debianProgram, installedWithinMs } from './debian';
export { ask, type Command, findCompiler } from './csharp-compiler';
export { compileGo } from './go';
export { startPgbouncer } from './pgbouncer';
