import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Deployment, startDeployment } from '@app/testing/deployment';
import { conversationOf, say } from '@app/testing/journeys';
import { checkpointed, mixedDay, storedCheckpoints } from '@app/testing/transparency';
import { parley, type CommandOutcome } from '../deployment/cli';

/** A deployment after a mixed day, with the command line on its stores. */
export interface LoggedDeployment {
  readonly deployment: Deployment;
  /** The folder for exports, removed at the end. */
  readonly folder: string;
  /** The log's public key, and its seed. */
  readonly key: string;
  readonly seed: Buffer;
  run(this: void, args: readonly string[], env?: Readonly<Record<string, string>>): Promise<CommandOutcome>;
  /** Appends a little more, until a checkpoint covers it. */
  goOn(this: void): Promise<void>;
  stop(this: void): Promise<void>;
}

export async function startLogged(daySeed: number): Promise<LoggedDeployment> {
  const seed = randomBytes(32);
  const own = { AUDIT_SIGNING_KEY: seed.toString('base64') };
  const folder = await mkdtemp(join(tmpdir(), 'parley-logged-'));
  const deployment = await startDeployment({ mode: 'in-process', env: own });
  await mixedDay(deployment, daySeed);
  const [key = ''] = (await storedCheckpoints(deployment)).keys;
  const env = { DATABASE_URL: deployment.databaseUrl, EVENTSTORE_URL: deployment.eventStoreUrl };
  return {
    deployment,
    folder,
    key,
    seed,
    run: (args, more = {}) => parley({ ...env, ...more }, args, folder),
    goOn: async () => {
      const user = await deployment.newUser();
      await say(user, await conversationOf(user), 'repeat after me: one more');
      await checkpointed(deployment);
    },
    stop: async () => {
      await deployment.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
