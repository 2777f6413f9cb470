import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus, type Command } from '@nestjs/cqrs';
import { openProduct, readDotEnv } from '@app/composition';
import { findRunningStores, readSecrets } from '@app/data-folder';
import { causeOfRequest, type Cause } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { readConfiguration, type Configuration } from '@app/runtime';
import { userInfo } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as uuidV7 } from 'uuid';
import { CommandFailed } from './outcome';

/** A projector announces itself every half second; a process that has just started must wait for that. */
const heardWithinMs = 2_000;
const askAgainMs = 25;
const needed = ['DATABASE_URL', 'EVENTSTORE_URL', 'PARLEY_SECRET_KEY'] as const;

/**
 * Runs the body on the deployment that the environment (or `.env`) names, or else on the `npm start` that runs on the data folder.
 * @throws ConfigurationError, CommandFailed when there is no such deployment
 */
export async function onDeployment<Value>(body: (product: INestApplicationContext) => Promise<Value>): Promise<Value> {
  const product = await openProduct(await findDeployment());
  try {
    await hearProjector(product.get(ReadGate, { strict: false }));
    return await body(product);
  } finally {
    await product.close();
  }
}

/** Executes a command on the deployment. @throws as `onDeployment` */
export async function execute<Value>(command: Command<Value>): Promise<Value> {
  return onDeployment((product) => product.get(CommandBus, { strict: false }).execute(command));
}

/** The operator at this terminal, as the cause of a change. */
export function operatorCause(): Cause {
  return causeOfRequest({ kind: 'operator', id: userInfo().username }, uuidV7());
}

async function findDeployment(): Promise<Configuration> {
  readDotEnv();
  const asked = readConfiguration(process.env);
  if (needed.every((name) => asked.env[name] !== undefined)) return quiet(process.env);
  const { PARLEY_DATA_DIR: dataDir } = asked.env;
  const stores = await findRunningStores(dataDir);
  const secretKey = asked.env.PARLEY_SECRET_KEY ?? (await readSecrets(dataDir))?.secretKey;
  if (stores !== null && secretKey !== undefined) {
    const { databaseUrl: DATABASE_URL, eventStoreUrl: EVENTSTORE_URL } = stores;
    return quiet({ ...process.env, DATABASE_URL, EVENTSTORE_URL, PARLEY_SECRET_KEY: secretKey });
  }
  const missing = needed.filter((name) => asked.env[name] === undefined).join(', ');
  throw new CommandFailed(
    `no Parley runs on ${dataDir}: run npm start first, or name a deployment (${missing} not set)`,
  );
}

/** The product's log would go where the results go. */
function quiet(environment: NodeJS.ProcessEnv): Configuration {
  return readConfiguration({ ...environment, LOG_LEVEL: 'silent' });
}

/** A write waits for the read models only while somebody projects them. */
async function hearProjector(gate: ReadGate): Promise<void> {
  const deadline = performance.now() + heardWithinMs;
  while (!gate.projecting && performance.now() < deadline) await sleep(askAgainMs);
}
