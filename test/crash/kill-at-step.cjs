// Ends its process with SIGKILL before the n-th call that touches a file, counted from the first request on; n is
// KILL_AT_STEP.
const fs = require('node:fs/promises');
const { Server } = require('node:http');

let left = Infinity;
const emit = Server.prototype.emit;
Server.prototype.emit = function (event, ...rest) {
  if (event === 'request' && left === Infinity) left = Number(process.env.KILL_AT_STEP);
  return emit.call(this, event, ...rest);
};

/** Counts the calls of these methods. */
function count(object, ...names) {
  for (const name of names) {
    const original = object[name];
    object[name] = function (...rest) {
      left -= 1;
      if (left === 0) process.kill(process.pid, 'SIGKILL');
      return original.apply(this, rest);
    };
  }
}

const open = fs.open;
let isCounted = false;
fs.open = async function (...rest) {
  const handle = await open.apply(this, rest);
  if (!isCounted) count(Object.getPrototypeOf(handle), 'writeFile', 'sync', 'close');
  isCounted = true;
  return handle;
};
count(fs, 'open', 'rename', 'mkdir', 'readdir', 'readFile');
