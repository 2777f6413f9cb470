// A program that starts the server on the folder named by its argument, says where it is, and waits to be killed.
// It runs the library's TypeScript as it is, so specs need no build.
const { transformFileSync } = require('@swc/core');
const { join } = require('node:path');

require.extensions['.ts'] = (module, file) => {
  const jsc = { target: 'es2022', parser: { syntax: 'typescript' } };
  module._compile(transformFileSync(file, { jsc, module: { type: 'commonjs' }, swcrc: false }).code, file);
};
const { startEmbeddedPostgres } = require(join(__dirname, '..', 'src', 'server.ts'));

startEmbeddedPostgres({ dataDir: process.argv[2] }).then(
  (server) => {
    process.stdout.write(`${JSON.stringify({ url: server.url('postgres') })}\n`);
    process.on('SIGTERM', () => void server.stop());
  },
  (error) => {
    process.stdout.write(`${JSON.stringify({ name: error.name, message: error.message, pid: error.pid })}\n`);
    process.exitCode = 1;
  },
);
