// Preloaded into an event store. On SIGUSR2 it prints the bytes that it holds, without garbage: how much of that there is depends on
// how busy the machine is.
const { setFlagsFromString } = require('node:v8');
const { runInNewContext } = require('node:vm');

process.on('SIGUSR2', () => {
  // By now, so that V8 takes the code that the build kept: it takes none under another flag.
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  console.log(`holds ${heapUsed + arrayBuffers} bytes`);
});
