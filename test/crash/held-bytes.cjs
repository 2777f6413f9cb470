// Preloaded into an event store. On SIGUSR2 it prints the bytes in use after a garbage collection, because the amount
// of garbage depends on how busy the machine is.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

process.on('SIGUSR2', () => {
  // Set only now, so that V8 accepts the build's code cache, which it rejects under other flags.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  console.log(`holds ${heapUsed + arrayBuffers} bytes`);
});
