// One process at a time installs and builds in a folder. The lock is a file that names its holder; a dead holder's lock is ignored.
import { linkSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root, throwIfInterrupted } from './tool.mjs';

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
    return await work((toolPid) => writeHolder({ pid: process.pid, toolPid }));
  } finally {
    clearInterval(heartbeat);
    if (readHolder()?.pid === process.pid) rmSync(lockFile, { force: true });
  }
}

async function acquire() {
  let announced = false;
  let seen = { beat: 0, at: 0 };
  for (;;) {
    throwIfInterrupted();
    if (tryCreate()) return;
    const holder = readHolder();
    const beat = heartbeatOf();
    if (beat !== seen.beat) seen = { beat, at: performance.now() };
    if (holder && (isDead(holder) || performance.now() - seen.at > silenceMaxMs)) {
      if (await takeOver(holder)) return;
      continue;
    }
    if (holder && !announced) console.log(`waiting for process ${holder.pid}, which installs or builds in this folder`);
    announced = announced || holder !== undefined;
    await sleep(pollMs);
  }
}

/** Creates the lock with its content in one step (link is atomic): no process ever sees an empty lock. */
function tryCreate() {
  const own = `${lockFile}.${process.pid}`;
  writeFileSync(own, JSON.stringify({ pid: process.pid }));
  try {
    linkSync(own, lockFile);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(own, { force: true });
  }
}

/** Moves a dead holder's lock aside, creates ours, and makes sure that it stays ours. */
async function takeOver(deadHolder) {
  const aside = `${lockFile}.dead-${process.pid}`;
  if (readHolder()?.pid !== deadHolder.pid) return false;
  try {
    renameSync(lockFile, aside);
  } catch (error) {
    if (error.code === 'ENOENT') return false;
    throw error;
  }
  rmSync(aside, { force: true });
  if (!tryCreate()) return false;
  await sleep(settleMs);
  return readHolder()?.pid === process.pid;
}

/** Replaces the file by a rename: a reader sees the old holder or the new one, never a part of one. */
function writeHolder(holder) {
  const next = `${lockFile}.${process.pid}`;
  writeFileSync(next, JSON.stringify(holder));
  renameSync(next, lockFile);
}

/** @returns {{pid: number, toolPid?: number} | undefined} undefined when there is no lock */
function readHolder() {
  try {
    return JSON.parse(readFileSync(lockFile, 'utf8'));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

const heartbeatOf = () => statSync(lockFile, { throwIfNoEntry: false })?.mtimeMs ?? 0;

const isDead = (holder) => !isAlive(holder.pid) && (holder.toolPid === undefined || !isAlive(holder.toolPid));

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM'; // it lives, but belongs to another user
  }
}
