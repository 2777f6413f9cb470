// main.js of each app in dist: runs app.js beside it with the code that V8 compiled for it in the build, which halves what a start costs. Another V8, or flags that size its heap, refuse that code: then app.js is compiled again.
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const { Script } = require('node:vm');

const file = path.join(__dirname, 'app.js');
const codeFile = `${file}.code`;

/**
 * Compiles the app.
 * @param {Buffer | undefined} cachedData what `createCachedData` of an earlier script answered
 */
function compile(cachedData) {
  return new Script(Module.wrap(readFileSync(file, 'latin1')), { filename: file, cachedData });
}

/** Runs what `compile` answered, as if this file held it. */
function run(script) {
  // Node looks for source maps of modules only, by their file's name.
  new Module(file, module)._compile('//# sourceMappingURL=app.js.map', file);
  script.runInThisContext().call(exports, exports, Module.createRequire(file), module, file, __dirname);
}

if (require.main === module) run(compile(existsSync(codeFile) ? readFileSync(codeFile) : undefined));
else module.exports = { codeFile, compile, run }; // to the build, which keeps the code
