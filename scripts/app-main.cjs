// main.js of each app in dist: runs the neighbouring app.js with the code that V8 compiled for it in the build, which halves the cost of a
// start. Another V8, or flags that size its heap, reject that code: then app.js is compiled again.
const { existsSync, readFileSync } = require('node:fs');
const Module = require('node:module');
const net = require('node:net');
const path = require('node:path');
const { Script } = require('node:vm');

const file = path.join(__dirname, 'app.js');
const codeFile = `${file}.code`;

/**
 * Limit of one attempt to connect to a name of several addresses, the last one excepted. Node's own, 250 ms, aborts attempts whose handshake
 * takes longer: a distant or busy receiver that also has an IPv6 address is then never reached by a machine without IPv6
 * (nodejs/node issue 54359). Agents, `fetch` and stores read the default at each connect.
 */
const connectAttemptMs = 2_500;

/** Compiles the app. @param {Buffer | undefined} cachedData the result of `createCachedData` of an earlier script */
function compile(cachedData) {
  return new Script(Module.wrap(readFileSync(file, 'latin1')), { filename: file, cachedData });
}

/** Runs the result of `compile`, as if this file contained it. */
function run(script) {
  // Node finds source maps of modules only, by their file's name.
  new Module(file, module)._compile('//# sourceMappingURL=app.js.map', file);
  script.runInThisContext().call(exports, exports, Module.createRequire(file), module, file, __dirname);
}

if (require.main === module) {
  net.setDefaultAutoSelectFamilyAttemptTimeout(connectAttemptMs);
  run(compile(existsSync(codeFile) ? readFileSync(codeFile) : undefined));
} else module.exports = { codeFile, compile, run }; // for the build, which stores the code
