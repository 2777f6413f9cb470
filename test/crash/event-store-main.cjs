// Runs the event store app as it is in the sources, so that a spec's child process needs no build.
const Module = require('node:module');
const { join, resolve } = require('node:path');
const { transformFileSync } = require('@swc/core');

const root = resolve(__dirname, '../..');
const resolveFilename = Module._resolveFilename;
Module._resolveFilename = (request, ...rest) => {
  const library = /^@app\/([^/]+)$/.exec(request);
  return resolveFilename(library ? join(root, 'libs', library[1], 'src/index.ts') : request, ...rest);
};
require.extensions['.ts'] = (module, file) => {
  const jsc = { target: 'es2022', parser: { syntax: 'typescript' } };
  module._compile(transformFileSync(file, { jsc, module: { type: 'commonjs' }, swcrc: false }).code, file);
};
require('../../apps/event-store/src/main.ts');
