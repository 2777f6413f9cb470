// Runs the tools that the scripts call (npm, nest, tsc, jest), shows that long ones are alive, and ends them when this process must end.
import { spawn } from 'node:child_process';
import { constants, setPriority } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const outputLengthMax = 512 * 1024;
const progressTtyMs = 1_000;
const progressPlainMs = 15_000;
/** How long a tool gets to end before it is killed: jest may have servers to stop. */
const endGraceMs = 10_000;
/** npm ci ignores Ctrl-C while it unpacks. A half-done install is never taken for fresh, so npm need not end by itself. */
const stepEndGraceMs = 700;
/** npm repeats a terminal's Ctrl-C; a later one was pressed again by a user who does not want to wait. */
const sameSignalMs = 500;

export class Interrupted extends Error {
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Stream for the progress of long steps: standard output, unless a script keeps it for its results. */
let output = process.stdout;

/**
 * A step continues even if its progress is no longer read, for example because its terminal was closed.
 * @param {NodeJS.WriteStream} stream for notes, not for results: progress of long steps goes there from now on
 */
export function sayOn(stream) {
  output = stream;
  stream.on('error', () => undefined);
}

/** A tool failed. `output` is its output (the last 512 KiB). */
export class StepFailed extends Error {
  constructor(message, output) {
    super(message);
    this.output = output;
  }
}

/** The running tools, with the time that each gets to end. */
const children = new Map();
let interruptedBy;
let interruptedAtMs;

function interrupt(signal) {
  const again = interruptedBy && performance.now() - interruptedAtMs > sameSignalMs;
  interruptedBy ??= signal;
  interruptedAtMs ??= performance.now();
  for (const [child, graceMs] of children) {
    endTool(child, again ? 'SIGKILL' : signal);
    setTimeout(() => endTool(child, 'SIGKILL'), graceMs).unref();
  }
}

/** A tool whose output we capture leads a group of its own, so that the programs it has started (as npm does) end with it. */
function endTool(child, signal) {
  if (!child.leadsGroup) return child.kill(signal);
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // all of them have ended
  }
}

/** @throws {Interrupted} when a signal asked this process to end. */
export function throwIfInterrupted() {
  if (interruptedBy) throw new Interrupted(interruptedBy);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a long synchronous part of a script, which a signal then ends at once: a handler would run only after it. No tool may be running.
 * @returns the result of `part`
 */
export function endedBySignals(part) {
  throwIfInterrupted();
  for (const signal of signals) process.off(signal, interrupt);
  try {
    return part();
  } finally {
    for (const signal of signals) process.on(signal, interrupt);
  }
}

/**
 * Runs a script's body. The exit code is the body's result, 128 + n after a signal, or 1 after an error, which is printed in plain words
 * with the failed tool's output.
 */
export async function runScript(body) {
  for (const signal of signals) process.on(signal, interrupt);
  try {
    process.exitCode = await body();
  } catch (error) {
    if (error instanceof StepFailed && error.output) console.error(error.output.trimEnd());
    const expected = error instanceof StepFailed || error instanceof Interrupted;
    console.error(expected ? error.message : error);
    process.exitCode = error.exitCode ?? 1;
  } finally {
    for (const signal of signals) process.off(signal, interrupt);
  }
}

/**
 * Runs a program to its end and returns its exit code, its output and the seconds it took; never throws for a bad exit.
 * @param {{cwd?: string, env?: object, inherit?: boolean, graceMs?: number, isPatient?: boolean, onSpawn?: (pid: number) => void}} options
 * `inherit` lets the program print by itself (then `output` is empty); `graceMs` is its time to end after a signal; a program that
 * `isPatient` yields to others that want the CPU
 */
export function runTool(command, args, options = {}) {
  throwIfInterrupted();
  const startedAt = performance.now();
  // Linux shares the CPU among sessions, and only within one by priority.
  const leadsGroup = !options.inherit && !options.isPatient;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: options.inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      detached: leadsGroup,
    });
    child.leadsGroup = leadsGroup && child.pid !== undefined;
    children.set(child, options.graceMs ?? endGraceMs);
    if (child.pid && options.isPatient) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
    if (child.pid) options.onSpawn?.(child.pid);
    let output = '';
    const keep = (chunk) => (output = (output + chunk).slice(-outputLengthMax));
    child.stdout?.setEncoding('utf8').on('data', keep);
    child.stderr?.setEncoding('utf8').on('data', keep);
    child.on('error', (error) => {
      children.delete(child);
      reject(new StepFailed(`cannot run ${command}: ${error.message}`, ''));
    });
    child.on('close', (code, signal) => {
      children.delete(child);
      if (interruptedBy) reject(new Interrupted(interruptedBy));
      else
        resolve({
          exitCode: code ?? 128 + constants.signals[signal],
          output,
          seconds: (performance.now() - startedAt) / 1000,
        });
    });
  });
}

/** The path of a program in node_modules. */
export const binary = (name) => path.join(root, 'node_modules', '.bin', name);

/** The npm that started us if there is one, otherwise the one on the PATH. */
export function npmCommand() {
  const execPath = process.env.npm_execpath ?? '';
  return path.basename(execPath) === 'npm-cli.js' ? [process.execPath, execPath] : ['npm'];
}

/** Like runTool, for one long step: shows what runs and for how long, and throws StepFailed when it fails. */
export async function runStep(label, command, args, options = {}) {
  const stopProgress = showProgress(label);
  let result;
  try {
    result = await runTool(command, args, { graceMs: stepEndGraceMs, ...options });
  } finally {
    stopProgress();
  }
  if (result.exitCode !== 0) throw new StepFailed(`${label}: failed (exit code ${result.exitCode})`, result.output);
  output.write(`${label}: done in ${result.seconds.toFixed(1)} s\n`);
}

function showProgress(label) {
  const startedAt = performance.now();
  const seconds = () => Math.round((performance.now() - startedAt) / 1000);
  const tty = output.isTTY === true;
  const clearLine = '\r\x1b[K';
  if (!tty) output.write(`${label} ...\n`);
  const draw = () => output.write(tty ? `${clearLine}${label} ... ${seconds()} s` : `${label} ... ${seconds()} s\n`);
  if (tty) draw();
  const timer = setInterval(draw, tty ? progressTtyMs : progressPlainMs);
  return () => {
    clearInterval(timer);
    if (tty) output.write(clearLine);
  };
}
