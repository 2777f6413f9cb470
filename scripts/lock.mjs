// One process at a time installs and builds in a folder. The lock is a file with the ids of its holders; dead holders' lock is ignored.
import { linkSync, readFileSync, readlinkSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './tool.mjs';

const lockFile = path.join(root, '.prepare.lock');
const pollMs = 200;
const heartbeatMs = 2_000;
/** A holder without a heartbeat for this long is dead, even if another process has its pid now. */
const silenceMaxMs = 60_000;
/** Where our process ids are valid: this machine, or this container, which may share the folder with others. */
const home = `${hostname()}/${pidNamespace()}`;
/** After taking a dead process's lock: time for a competitor that judged the same lock to appear. */
const settleMs = 100;

/**
 * Runs `work` while no other process holds the lock. `work` gets a function to name the tool that works for it: while that tool lives, the
 * lock holds, even when we were killed.
 */
export async function withLock(work) {
  await acquire();
  let tool;
  const heartbeat = setInterval(() => hold(tool), heartbeatMs);
  heartbeat.unref();
  try {
    return await work((toolPid) => hold((tool = toolPid)));
  } finally {
    clearInterval(heartbeat);
    if (isOurs()) rmSync(lockFile, { force: true });
  }
}

async function acquire() {
  let seen = { beat: 0, at: performance.now() };
  for (let isAnnounced = false; !tryCreate(); await sleep(pollMs)) {
    const { pids, isHere } = holders();
    const beat = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (beat !== seen.beat) seen = { beat, at: performance.now() };
    const isDead = isHere && !pids.some(isAlive);
    if (isDead || performance.now() - seen.at > silenceMaxMs) {
      if (await takeOver(pids[0])) return;
    } else if (pids.length > 0 && !isAnnounced) {
      say(`waiting for process ${pids[0]}, which installs or builds in this folder`);
      isAnnounced = true;
    }
  }
}

/** Shows that we live. A lock that was deleted is made again; one that another process has taken is left to it. */
function hold(tool) {
  if (isOurs()) place(lockOf(tool), renameSync);
  else tryCreate(tool);
}

const lockOf = (tool) => [process.pid, ...(tool ? [tool] : []), home].join(' ');

/** Returns false when the lock exists. */
function tryCreate(tool) {
  try {
    place(lockOf(tool), linkSync);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Puts a written file into the lock's place in one step: a process that is killed meanwhile leaves no lock without its holders. */
function place(content, put) {
  const own = `${lockFile}.${hostname()}.${process.pid}`;
  writeFileSync(own, content);
  try {
    put(own, lockFile);
  } finally {
    rmSync(own, { force: true });
  }
}

/** Replaces a dead holder's lock by ours, and makes sure that it stays ours. */
async function takeOver(deadPid) {
  if (!takeAway(deadPid) || !tryCreate()) return false;
  await sleep(settleMs);
  return isOurs();
}

/** Removes a dead holder's lock. A competitor's is put back, which replaced that one while we were paused. */
function takeAway(deadPid) {
  const taken = `${lockFile}.${hostname()}.${process.pid}.taken`;
  try {
    renameSync(lockFile, taken);
    if (holders(taken).pids[0] === deadPid) return true;
    linkSync(taken, lockFile);
    return false;
  } catch (error) {
    if (error.code === 'ENOENT' || error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(taken, { force: true });
  }
}

function isOurs() {
  const { pids, isHere } = holders();
  return isHere && pids[0] === process.pid;
}

/** The process that holds the lock, and its tool; none while there is no lock. `isHere`: we can tell whether they live. */
function holders(file = lockFile) {
  try {
    const words = readFileSync(file, 'utf8').split(' ');
    const pids = words.map(Number).filter(Boolean);
    return { pids, isHere: pids.length > 0 && words.at(-1) === home };
  } catch (error) {
    if (error.code === 'ENOENT') return { pids: [], isHere: false };
    throw error;
  }
}

/** Empty on systems other than Linux, which have none. */
function pidNamespace() {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // it lives, but belongs to another user
  }
}
