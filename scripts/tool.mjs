// Runs the tools that the scripts call (npm, nest, tsc, jest), shows that long ones are alive, and ends them when this process must end.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { Module } from 'node:module';
import { constants, setPriority } from 'node:os';
import path from 'node:path';

export const root = path.dirname(import.meta.dirname);

const outputLengthMax = 512 * 1024;
/** How long a tool gets to end before it is killed: jest may have servers to stop. */
const endGraceMs = 10_000;
/** npm ci ignores Ctrl-C while it unpacks. A half-done install is never taken for fresh, so npm need not end by itself. */
const stepEndGraceMs = 700;
/** npm repeats a terminal's Ctrl-C; a later one was pressed again by a user who does not want to wait. */
const sameSignalMs = 500;
/** How long the output of a tool that has ended may stay open: a program that the tool left running holds it as long as it runs. */
const outputGraceMs = 2_000;

/** A tool failed. `output` is its output (the last 512 KiB). */
export class StepFailed extends Error {
  exitCode = 1;

  constructor(message, output = '') {
    super(message);
    this.output = output;
  }
}

/** A signal asked this process to end while a tool was running. */
export class Interrupted extends StepFailed {
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** Stream for notes, not for results: standard output, unless a script keeps it for its results. */
let notes = process.stdout;

/** Writes notes on this stream from now on. They continue even if they are no longer read, for example because a terminal was closed. */
export function sayOn(stream) {
  notes = stream;
  stream.on('error', () => undefined);
}

/** Writes a note for the user. */
export function say(text) {
  notes.write(`${text}\n`);
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
/** The running tools. Without one, a signal ends this process at once. */
const running = new Set();
let atWork = 0;
let interrupted;

function interrupt(signal) {
  const isPressedAgain = interrupted && performance.now() - interrupted.atMs > sameSignalMs;
  interrupted ??= { signal, atMs: performance.now() };
  if (isPressedAgain && atWork === 0) process.exit(128 + constants.signals[signal]);
  for (const tool of running) {
    endTool(tool, isPressedAgain ? 'SIGKILL' : signal);
    setTimeout(() => endTool(tool, 'SIGKILL'), tool.graceMs).unref();
  }
}

/** A tool whose output we capture leads a group of its own, so that the programs it has started (as npm does) end with it. */
function endTool({ child, leadsGroup }, signal) {
  if (!leadsGroup) return child.kill(signal);
  try {
    process.kill(-child.pid, signal);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error; // all of them have ended
  }
}

/**
 * Runs `work`, during which signals go to the tools that it starts: from before their start, because one that was just started would outlive
 * this process. A repeated signal does not cut off what the script does after an interruption.
 */
async function takingSignals(work) {
  if (atWork === 0 && !interrupted) for (const signal of signals) process.on(signal, interrupt);
  atWork += 1;
  try {
    return await work();
  } finally {
    atWork -= 1;
    if (atWork === 0 && !interrupted) for (const signal of signals) process.off(signal, interrupt);
  }
}

/** Returns the exit code and the signal of a tool. */
async function endOf(tool) {
  running.add(tool);
  try {
    return await once(tool.child, 'close');
  } finally {
    running.delete(tool);
  }
}

/**
 * Runs a script's body. The exit code is the body's result, 128 + n after a signal, or 1 after an error, which is printed in plain words
 * with the failed tool's output.
 */
export async function runScript(body) {
  try {
    process.exitCode = await body();
  } catch (error) {
    if (error.output) console.error(error.output.trimEnd());
    console.error(error instanceof StepFailed ? error.message : error);
    process.exitCode = error.exitCode ?? 1;
  }
}

/**
 * Runs `body`; then this very process becomes an app of the build: a signal reaches it, its exit code is ours, and kill -9 leaves no parent
 * and no orphan.
 */
export async function become(app, body) {
  const main = path.join(root, 'dist', 'apps', app, 'src', 'main.js');
  await runScript(async () => {
    await body();
    if (!existsSync(main)) throw new StepFailed(`the build made no ${path.relative(root, main)}`);
  });
  if (process.exitCode !== undefined) return;
  process.argv[1] = main;
  process.setSourceMapsEnabled(true);
  Module.runMain();
}

/**
 * Runs a program to its end and returns its exit code and its output; never throws for a bad exit.
 * @param {{cwd?: string, env?: object, inherit?: boolean, graceMs?: number, isPatient?: boolean, onSpawn?: (pid: number) => void}} options
 * `inherit` lets the program print by itself (then `output` is empty); `graceMs` is its time to end after a signal; a program that
 * `isPatient` yields to others that want the CPU
 */
export async function runTool(command, args, options = {}) {
  if (interrupted) throw new Interrupted(interrupted.signal);
  let output = '';
  const keep = (chunk) => (output = (output + chunk).slice(-outputLengthMax));
  const [code, signal] = await takingSignals(() => {
    const tool = started(command, args, options);
    for (const stream of [tool.child.stdout, tool.child.stderr]) stream?.setEncoding('utf8').on('data', keep);
    return endOf(tool).catch((error) => {
      throw new StepFailed(`cannot run ${command}: ${error.message}`);
    });
  });
  if (interrupted) throw new Interrupted(interrupted.signal);
  return { exitCode: code ?? 128 + constants.signals[signal], output };
}

function started(
  command,
  args,
  { cwd = root, env, inherit = false, graceMs = endGraceMs, isPatient = false, onSpawn },
) {
  const leadsGroup = !inherit && !isPatient; // Linux shares the CPU among sessions, and only within one by priority
  const stdio = inherit ? 'inherit' : ['ignore', 'pipe', 'pipe'];
  const child = spawn(command, args, { cwd, env: { ...process.env, ...env }, stdio, detached: leadsGroup });
  if (child.pid === undefined) return { child, graceMs, leadsGroup: false }; // `error` will say why
  if (isPatient) setPriority(child.pid, constants.priority.PRIORITY_BELOW_NORMAL);
  onSpawn?.(child.pid);
  child.once('exit', () => setTimeout(() => closeOutput(child), outputGraceMs).unref());
  return { child, graceMs, leadsGroup };
}

function closeOutput({ stdout, stderr }) {
  for (const stream of [stdout, stderr]) stream?.destroy();
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
  const startedAt = performance.now();
  const seconds = (digits) => ((performance.now() - startedAt) / 1000).toFixed(digits);
  const isTty = notes.isTTY === true;
  const show = (text) => notes.write(isTty ? `\r\x1b[K${text}` : `${text}\n`);
  show(`${label} ...`);
  const timer = setInterval(() => show(`${label} ... ${seconds(0)} s`), isTty ? 1_000 : 15_000);
  let result;
  try {
    result = await runTool(command, args, { graceMs: stepEndGraceMs, ...options });
  } finally {
    clearInterval(timer);
    if (isTty) show('');
  }
  if (result.exitCode !== 0) throw new StepFailed(`${label}: failed (exit code ${result.exitCode})`, result.output);
  say(`${label}: done in ${seconds(1)} s`);
}
