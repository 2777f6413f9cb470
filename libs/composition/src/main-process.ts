import { existsSync } from 'node:fs';
import { ConfigurationError, configurationWarnings, readConfiguration, type Configuration } from '@app/runtime';
import { PortInUse } from './serving';

/** Beyond the time that requests in flight have, stopping may take this long before the process ends itself. */
const stopWithinMs = 30_000;

export interface Stoppable {
  stop(): Promise<void>;
}

/** What went wrong is the user's to change; its message says all, and a stack would only hide it. */
export class CannotStart extends Error {}

/** What a process needs to be told when nothing is embedded in it. */
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

/** What an operator should know of the configuration, one line each on stderr, whatever the log level. */
export function tellWarnings(configuration: Configuration): void {
  for (const line of configurationWarnings(process.env, configuration)) console.error(`warning: ${line}`);
}

/** Adds the variables of a `.env` file in the working folder to the environment; what is set already stays. */
export function readDotEnv(): void {
  if (existsSync('.env')) process.loadEnvFile('.env');
}

/**
 * The life of a process: starts, and stops on SIGINT or SIGTERM with exit code 0. Further signals change nothing: npm sends a
 * terminal's Ctrl-C once more. Exit code 1 when starting or stopping fails, or stopping takes too long.
 */
export function runProcess(start: () => Promise<Stoppable>): void {
  const told = new Promise<void>((resolve) => {
    process.on('SIGINT', () => resolve());
    process.on('SIGTERM', () => resolve());
  });
  live(start, told).then(
    () => process.exit(0),
    (error: unknown) => {
      console.error(describe(error));
      process.exit(1);
    },
  );
}

async function live(start: () => Promise<Stoppable>, told: Promise<void>): Promise<void> {
  const running = await start();
  await told;
  setTimeout(() => {
    console.error('stopping took too long; ending all the same');
    process.exit(1);
  }, stopWithinMs).unref();
  await running.stop();
}

function describe(error: unknown): unknown {
  const expected = error instanceof CannotStart || error instanceof PortInUse || error instanceof ConfigurationError;
  return expected ? error.message : error;
}
