// Runs the tools that the scripts call (npm, nest, tsc, jest), shows that long ones are alive, and ends them when this process must end.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));

const outputLengthMax = 512 * 1024;
const progressTtyMs = 1_000;
const progressPlainMs = 15_000;
/** A tool that was told to end has this long before it is killed: jest may have servers to stop. */
const endGraceMs = 10_000;
/** npm ci ignores Ctrl-C while it unpacks. What it leaves half done is never taken for fresh, so it need not end by itself. */
const stepEndGraceMs = 700;
/** npm sends a terminal's Ctrl-C once more; a later one was pressed again by someone who does not want to wait. */
const sameSignalMs = 500;

export class Interrupted extends Error {
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Where long steps say that they run: standard output, unless a script keeps it for its own answer. */
let output = process.stdout;

/**
 * A step goes on where nobody reads any more that it runs: its terminal was closed, say.
 * @param {NodeJS.WriteStream} stream for notes, none for results: where long steps say from now on that they run
 */
export function sayOn(stream) {
  output = stream;
  stream.on('error', () => undefined);
}

/** A tool ended badly. `output` is what it printed (its last 512 KiB). */
export class StepFailed extends Error {
  constructor(message, output) {
    super(message);
    this.output = output;
  }
}

/** The running tools, each with the time it gets to end. */
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

/** A tool whose output we keep leads a group of its own: what it has started (npm: other programs) ends with it. */
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

/** Runs a script's body; its exit code is the body's result, 128 + n after a signal, 1 after an error (printed in plain words, with the failed tool's output). */
export async function runScript(body) {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
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
 * Runs a program to its end and returns its exit code, what it printed and the seconds it took; never throws for a bad exit.
 * @param {{cwd?: string, env?: object, inherit?: boolean, graceMs?: number, onSpawn?: (pid: number) => void}} options `inherit` lets the program print by itself (then `output` is empty); `graceMs` is its time to end after a signal
 */
export function runTool(command, args, options = {}) {
  throwIfInterrupted();
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: options.inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'],
      detached: !options.inherit,
    });
    child.leadsGroup = !options.inherit && child.pid !== undefined;
    children.set(child, options.graceMs ?? endGraceMs);
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

/** The path of a program that node_modules brings. */
export const binary = (name) => path.join(root, 'node_modules', '.bin', name);

/** The npm that started us when there is one, else the one on the PATH. */
export function npmCommand() {
  const execPath = process.env.npm_execpath ?? '';
  return path.basename(execPath) === 'npm-cli.js' ? [process.execPath, execPath] : ['npm'];
}

/** Like runTool, for one long step: says what runs, how long it has been running, and throws StepFailed when it ends badly. */
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
