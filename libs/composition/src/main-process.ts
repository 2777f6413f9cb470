import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { silenceLogs } from '@app/runtime';
import { configurationWarnings, readConfiguration, type Configuration } from '@app/settings';
import { CannotStart, describeFailure } from './start-failures';

/** In addition to the time for requests in flight, stopping may take this long before the process ends itself. */
const stopWithinMs = 30_000;
/** How long an aborted start may take to clean up; whatever it leaves ends by itself, as after kill -9. */
const clearUpWithinMs = 1_000;
/** npm repeats a terminal's Ctrl-C; a signal later than this was pressed again. */
const sameSignalMs = 500;

export interface Stoppable {
  /** How long requests in flight have when it stops. */
  readonly drainMs: number;
  stop(): Promise<void>;
}

/** Settings that a process needs when nothing is embedded in it. */
const neededByProcesses = ['DATABASE_URL', 'EVENTSTORE_URL', 'PARLEY_SECRET_KEY'] as const;

/** The configuration of an api or a worker process, from `.env` and the environment. @throws ConfigurationError, CannotStart */
export function readProcessConfiguration(): Configuration {
  readDotEnv();
  const configuration = readConfiguration(process.env);
  tellWarnings(configuration);
  const missing = neededByProcesses.filter((name) => configuration.env[name] === undefined);
  if (missing.length === 0) return configuration;
  throw new CannotStart(`not set: ${missing.join(', ')} (only npm start brings stores and secrets of its own)`);
}

/** Writes the configuration's warnings to stderr, one line each, at every log level. */
export function tellWarnings(configuration: Configuration): void {
  for (const line of configurationWarnings(process.env, configuration)) console.error(`warning: ${line}`);
}

/** Adds the `.env` file of the working folder to the environment, without replacing anything. @throws CannotStart */
export function readDotEnv(): void {
  try {
    if (existsSync('.env')) process.loadEnvFile('.env');
  } catch (error) {
    throw new CannotStart('the file .env cannot be read: mend or remove it', { cause: error });
  }
}

/** A signal arrived before the start was done. */
class Interrupted extends Error {
  constructor(readonly by: 'SIGINT' | 'SIGTERM') {
    super(`interrupted by ${by}`);
  }
}

/**
 * Answers the arguments of a process that is configured by variables alone: prints where they are for `--help`, and refuses all others with
 * exit code 2. Returns whether there were any.
 */
function answerArguments([argument]: readonly string[]): boolean {
  if (argument === undefined) return false;
  const words = 'this process takes no arguments: variables of its environment configure it (docs/configuration.md)';
  if (argument === '--help' || argument === '-h') console.log(words);
  else {
    console.error(`there is no argument ${argument}: ${words}`);
    process.exitCode = 2;
  }
  return true;
}

/**
 * Runs a process: starts it, and stops it on SIGINT or SIGTERM with exit code 0; before it is ready, with 128 plus the signal's number, and
 * within a second. A second Ctrl-C ends it at once. Exit code 1 when starting or stopping fails, or stopping takes too long.
 * @param start its signal aborts when it must give up; it then cleans up and rejects
 */
export function runProcess(start: (interrupted: AbortSignal) => Promise<Stoppable>): void {
  if (answerArguments(process.argv.slice(2))) return;
  const told = new AbortController();
  let toldAtMs = 0;
  const end = (by: 'SIGINT' | 'SIGTERM'): void => {
    if (!told.signal.aborted) {
      toldAtMs = performance.now();
      told.abort(new Interrupted(by));
    } else if (performance.now() - toldAtMs > sameSignalMs) process.exit(exitCodeOf(by));
  };
  process.on('SIGINT', end);
  process.on('SIGTERM', end);
  live(start, told.signal).then(
    () => process.exit(0),
    (error: unknown) => {
      if (error instanceof Interrupted) process.exit(exitCodeOf(error.by));
      console.error(describeFailure(error));
      process.exit(1);
    },
  );
}

/** The exit code that shells use for an end by a signal. */
function exitCodeOf(signal: 'SIGINT' | 'SIGTERM'): number {
  return 128 + constants.signals[signal];
}

async function live(start: (interrupted: AbortSignal) => Promise<Stoppable>, told: AbortSignal): Promise<void> {
  const ending = new Promise<void>((resolve) => told.addEventListener('abort', () => resolve(), { once: true }));
  let isReady = false;
  const givenUp = ending.then(async () => {
    if (!isReady) silenceLogs();
    await sleep(clearUpWithinMs);
    throw told.reason;
  });
  givenUp.catch(() => undefined); // unhandled once it is ready, because it then stops normally
  const starting = start(told).catch((error: unknown) => {
    throw told.aborted ? told.reason : error;
  });
  const running = await Promise.race([starting, givenUp]);
  isReady = true;
  await ending;
  setTimeout(() => {
    console.error('stopping took too long; ending all the same');
    process.exit(1);
  }, running.drainMs + stopWithinMs).unref();
  await running.stop();
}
