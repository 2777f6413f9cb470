// Evaluates packages and the product's own modules once in a worker of jest, instead of again for every file, which was most of the work of
// short specs. Specs, and modules that only tests import, are evaluated for each file as usual.
const { default: Runtime } = require('jest-runtime');
const path = require('node:path');
const { keepingGlobals } = require('./shared-environment.cjs');

const root = path.dirname(path.dirname(__dirname));
const product = /^libs[\\/](?!testing[\\/]|clients[\\/]).+[\\/]src[\\/](?!.*\.spec\.ts$)/;
/** Compiled documents are shared although only tests import them, because they are the same for nearly all files. */
const documents = /^libs[\\/]testing[\\/]src[\\/]documents[\\/]published-document\.ts$/;
/** Calls that replace modules which the product imports; shared modules would not notice the replacement. */
const mocks = /\bjest\.(doMock|mock|resetModules|isolateModules)\b/;

/** Loads the modules that all files of this worker share. It is never torn down. */
let keeper;

module.exports = class SharedRuntime extends Runtime {
  constructor(...args) {
    super(...args);
    const [, , , , sources, , testPath] = args;
    if (keeper === undefined) {
      keeper = null; // constructing the keeper itself leads here too
      keeper = new SharedRuntime(...args.slice(0, 4), new Map(), ...args.slice(5));
    }
    if (keeper === null) return;
    this.shares = !mocks.test(sources.get(testPath) ?? '');
    // Stacks contain frames of shared modules as well.
    this.transformCache.sourceMaps = keeper.transformCache.sourceMaps;
  }

  requireModule(from, moduleName, options, isRequireActual) {
    if (this.shares && !options?.isInternalModule) {
      const file = this.#sharedFile(from, moduleName);
      if (file !== null) return keeper.requireModule(from, moduleName, options, isRequireActual);
    }
    const load = () => super.requireModule(from, moduleName, options, isRequireActual);
    // Also covers modules that a shared one loads later, in the middle of a test.
    return this === keeper ? keepingGlobals(this._environment.global, load) : load();
  }

  /** The file, if all files of the worker share it; otherwise null. */
  #sharedFile(from, moduleName) {
    if (moduleName !== undefined && this._resolution.isCoreModule(moduleName)) return null;
    const file = moduleName === undefined ? from : this._resolution.resolveCjs(from, moduleName);
    const isPackage = file.includes(`${path.sep}node_modules${path.sep}`);
    const own = path.relative(root, file);
    return isPackage || product.test(own) || documents.test(own) ? file : null;
  }
};
