// One global object for all files of a worker, so that modules loaded by one file serve the next (shared-runtime.cjs). Changes that a file
// makes to it are undone when the file ends.
const { AsyncLocalStorage } = require('node:async_hooks');
const { appendFileSync, readFileSync } = require('node:fs');
const { TestEnvironment } = require('jest-environment-node');

/** Jest's environment, shared by this worker's files. */
let shared;
/** The members of the global object before any file ran, and those that shared modules have added since. */
const kept = new Map();
/**
 * The storages that this file has used. Jest makes one for each file, and Node copies the values of every storage in use to each new
 * promise: unless they are disabled, a worker gets slower with each file.
 */
const storagesInUse = new Set();

const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function runInStorage(...args) {
  storagesInUse.add(this);
  return run.apply(this, args);
};

module.exports = class SharedEnvironment {
  constructor(config, context) {
    this.testPath = context.testPath;
    this.ticksAtStart = cpuTicks();
    shared ??= new TestEnvironment(config, context);
    this.global = shared.global;
    this.moduleMocker = shared.moduleMocker;
    this.fakeTimers = shared.fakeTimers;
    this.fakeTimersModern = shared.fakeTimersModern;
    if (kept.size === 0) keepGlobals(this.global);
    this.exit = this.global.process.exit;
    this.env = { ...this.global.process.env };
  }

  async setup() {}

  async teardown() {
    this.fakeTimersModern.useRealTimers();
    this.moduleMocker.restoreAllMocks();
    this.global.process.exit = this.exit;
    restoreMembers(this.global.process.env, this.env);
    restoreGlobals(this.global);
    for (const storage of storagesInUse) storage.disable(); // until it is used again
    storagesInUse.clear();
    const file = process.env.SUITE_CPU_FILE; // scripts/jest.mjs reads it
    if (file !== undefined) appendFileSync(file, `${cpuTicks() - this.ticksAtStart} ${this.testPath}\n`);
  }

  exportConditions() {
    return shared.exportConditions();
  }

  getVmContext() {
    return shared.getVmContext();
  }
};

/**
 * Returns the CPU time of this process and of its children that have ended, in ticks of 10 ms; 0 on systems other than Linux. PostgreSQL's
 * server, which all files share, is left out.
 */
function cpuTicks() {
  if (process.platform !== 'linux') return 0;
  const stat = readFileSync('/proc/self/stat', 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((total, ticks) => total + Number(ticks), 0); // utime, stime, cutime, cstime
}

let isKeeping = false;

/** Runs `load`, and keeps what it adds to the global object, because the modules that did it are not loaded again. */
module.exports.keepingGlobals = function keepingGlobals(global, load) {
  if (isKeeping) return load(); // a module that another one loads
  const before = new Set(Reflect.ownKeys(global));
  isKeeping = true;
  try {
    return load();
  } finally {
    isKeeping = false;
    keepGlobals(global, (key) => !before.has(key));
  }
};

function keepGlobals(global, isNew = () => true) {
  for (const key of Reflect.ownKeys(global)) {
    if (isNew(key)) kept.set(key, Object.getOwnPropertyDescriptor(global, key));
  }
}

function restoreGlobals(global) {
  for (const key of Reflect.ownKeys(global)) {
    const { configurable, value, writable } = Object.getOwnPropertyDescriptor(global, key);
    const was = kept.get(key);
    if (was === undefined) {
      if (configurable) delete global[key];
    } else if ('value' in was && was.value !== value) {
      if (configurable) Object.defineProperty(global, key, was);
      else if (writable) global[key] = was.value;
    }
  }
}

function restoreMembers(object, members) {
  for (const key of Object.keys(object)) if (!(key in members)) delete object[key];
  Object.assign(object, members);
}
