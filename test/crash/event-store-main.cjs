// Runs the event store app as it is in the sources, so that a spec's child process needs no build.
const Module = require('node:module');
const { existsSync, readdirSync } = require('node:fs');
const { join, resolve } = require('node:path');
const { transformFileSync } = require('@swc/core');

const root = resolve(__dirname, '../..');
const rooms = readdirSync(join(root, 'libs'));
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  const library = /^@app\/([^/]+)$/.exec(request);
  return resolveFilename(library ? entryOf(library[1]) : request, ...rest);
};
require.extensions['.ts'] = (module, file) => {
  const jsc = { target: 'es2022', parser: { syntax: 'typescript' } };
  module._compile(transformFileSync(file, { jsc, module: { type: 'commonjs' }, swcrc: false }).code, file);
};
function entryOf(library) {
  return rooms.map((room) => join(root, 'libs', room, library, 'src/index.ts')).find(existsSync);
}

// Prints the bytes that it holds, without garbage: how much of that there is depends on how busy the machine is.
process.on('SIGUSR2', () => {
  globalThis.gc();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  console.log(`holds ${heapUsed + arrayBuffers} bytes`);
});

require('../../apps/event-store/src/main.ts');
