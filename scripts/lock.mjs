// One process at a time installs and builds in a folder. The lock is a file with the ids of its holders; dead holders' lock is ignored.
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, say } from './tool.mjs';

const lockFile = path.join(root, '.prepare.lock');
const pollMs = 200;
const heartbeatMs = 2_000;
/** A holder without a heartbeat for this long is dead, even if another process has its pid now. */
const silenceMaxMs = 60_000;
/** After taking a dead process's lock: time for a competitor that judged the same lock to appear. */
const settleMs = 100;

/**
 * Runs `work` while no other process holds the lock. `work` gets a function to name the tool that works for it: while that tool lives, the
 * lock holds, even when we were killed.
 */
export async function withLock(work) {
  await acquire();
  const heartbeat = setInterval(() => utimesSync(lockFile, new Date(), new Date()), heartbeatMs);
  heartbeat.unref();
  try {
    return await work((toolPid) => place(`${process.pid} ${toolPid}`, renameSync));
  } finally {
    clearInterval(heartbeat);
    if (isOurs()) rmSync(lockFile, { force: true });
  }
}

async function acquire() {
  let seen = { beat: 0, at: performance.now() };
  for (let isAnnounced = false; !tryCreate(); await sleep(pollMs)) {
    const pids = holders();
    const beat = statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;
    if (beat !== seen.beat) seen = { beat, at: performance.now() };
    const isDead = pids.length > 0 && !pids.some(isAlive);
    if (isDead || performance.now() - seen.at > silenceMaxMs) {
      if (await takeOver(pids[0])) return;
    } else if (pids.length > 0 && !isAnnounced) {
      say(`waiting for process ${pids[0]}, which installs or builds in this folder`);
      isAnnounced = true;
    }
  }
}

/** Returns false when the lock exists. */
function tryCreate() {
  try {
    place(`${process.pid}`, linkSync);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Puts a written file into the lock's place in one step: a process that is killed meanwhile leaves no lock without its holders. */
function place(content, put) {
  const own = `${lockFile}.${process.pid}`;
  writeFileSync(own, content);
  try {
    put(own, lockFile);
  } finally {
    rmSync(own, { force: true });
  }
}

/** Replaces a dead holder's lock by ours, and makes sure that it stays ours. */
async function takeOver(deadPid) {
  if (holders()[0] !== deadPid) return false;
  rmSync(lockFile, { force: true });
  if (!tryCreate()) return false;
  await sleep(settleMs);
  return isOurs();
}

const isOurs = () => holders()[0] === process.pid;

/** The process that holds the lock, and its tool; empty while there is no lock. */
function holders() {
  try {
    return readFileSync(lockFile, 'utf8').split(' ').map(Number).filter(Boolean);
  } catch (error) {
    if (error.code === 'ENOENT') return [];
    throw error;
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
