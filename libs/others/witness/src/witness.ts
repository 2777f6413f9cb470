import { join, resolve } from 'node:path';
import { ensureFolder } from '@app/data-folder';
import { takeLock } from '@app/embedded-postgres';
import { verifierKeyText, type VerifierKey } from '@app/transparency';
import { keptOrigins, originHash } from './kept-log';
import { parseSubmission } from './submission';
import { witnessKey } from './witness-key';
import type { OnReport } from './reports';
import { WitnessedLog, type Answer } from './witnessed-log';

export interface WitnessOptions {
  /** Created when missing; one witness at a time. */
  readonly folder: string;
  /** Name of the witness; not needed again once its key exists. */
  readonly name?: string | undefined;
  /** Keys of the logs that it signs for. A key's name is the origin of its log; a log may have several. */
  readonly logs: readonly VerifierKey[];
  readonly onNews: OnReport;
  /** Unix time in milliseconds; the machine's clock when absent. */
  readonly now?: () => number;
}

/** Another process uses the folder; the message says which. */
export class FolderInUse extends Error {}

/** A witness of transparency logs: it signs that it saw a log grow, and nothing that contradicts an earlier signature. */
export interface Witness {
  /** Its public key, as text. */
  readonly key: string;
  readonly origins: readonly string[];
  /** Logs that this witness signed and no longer serves, because no key of theirs was given. */
  readonly unserved: readonly string[];
  /** Handles the body of `add-checkpoint`. @throws when nothing can be stored */
  add(body: string): Promise<Answer>;
  /** Returns the log with that origin hash; undefined for another one. */
  log(originHash: string): WitnessedLog | undefined;
  /** Releases the folder. */
  close(): Promise<void>;
}

/** Opens the witness of a folder. @throws FolderInUse, KeyRefused, and when the stored state is damaged */
export async function openWitness(options: WitnessOptions): Promise<Witness> {
  const folder = resolve(options.folder);
  await ensureFolder(folder);
  const lock = await takeLock(join(folder, 'lock'));
  if ('pid' in lock)
    throw new FolderInUse(
      `${folder} is in use by ${lock.pid === undefined ? 'another process' : `process ${lock.pid}`}`,
    );
  try {
    const key = await witnessKey(folder, options.name);
    const { onNews, now = Date.now } = options;
    const origins = [...new Set(options.logs.map(({ name }) => name))];
    const logs = new Map<string, WitnessedLog>();
    for (const origin of origins) {
      const keys = options.logs.filter(({ name }) => name === origin);
      logs.set(originHash(origin), await WitnessedLog.open({ origin, keys, key, folder, now, onNews }));
    }
    const unserved = (await keptOrigins(join(folder, 'logs'))).filter((origin) => !origins.includes(origin));
    if (unserved.length > 0)
      onNews('warn', 'logs that were signed here are answered 404: no --log gives their keys', { unserved });
    return {
      key: verifierKeyText(key),
      origins,
      unserved,
      add: (body) => add(logs, body),
      log: (hash) => logs.get(hash),
      close: () => lock.close(),
    };
  } catch (error) {
    await lock.close();
    throw error;
  }
}

async function add(logs: ReadonlyMap<string, WitnessedLog>, body: string): Promise<Answer> {
  const submission = parseSubmission(body);
  if (submission === null) return { status: 400, body: 'no old size, proof and checkpoint\n' };
  const log = logs.get(originHash(submission.checkpoint.origin));
  return log === undefined ? { status: 404, body: 'no log of that origin is known here\n' } : log.add(submission);
}
