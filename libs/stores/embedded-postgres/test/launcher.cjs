// Starts the server on the folder named by its argument, prints where it is, and waits to be killed.
require('./typescript.cjs');
const { startEmbeddedPostgres } = require('../src/server.ts');

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
