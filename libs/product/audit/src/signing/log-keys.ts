import { hkdfSync } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Database, migration } from '@app/read-store';
import { Sealing, secretKeysIn, type SealedTable } from '@app/runtime';
import { Configuration } from '@app/settings';
import { signingKey, type SigningKey } from '@app/transparency';

const derivation = 'parley/audit-signing/1';
const seedBytes = 32;
const name = 'log_seed';

/** The seed from which the log's key is made, where AUDIT_SIGNING_KEY is not set (docs/decisions/personal-data.md, "The log's key"). */
export const logSeedTable: SealedTable = {
  table: name,
  key: 'one',
  keyType: 'boolean',
  value: 'sealed',
  label: 'parley/log-seed/1',
  boundTo: () => name,
};

export const logSeedMigrations = [
  migration(
    543,
    'CreateLogSeed',
    'CREATE TABLE log_seed (one boolean PRIMARY KEY DEFAULT true CHECK (one), sealed bytea NOT NULL)',
  ),
];

/** The key that signs the log's checkpoints. */
@Injectable()
export class LogKeys {
  private known: Promise<Buffer> | null = null;

  constructor(
    private readonly database: Database,
    private readonly configuration: Configuration,
  ) {}

  /**
   * Returns the key of the log with this origin: of AUDIT_SIGNING_KEY, or of the stored seed. @throws Unavailable; Error if there is neither
   * that variable nor a secret key that opens the seed
   */
  async of(origin: string): Promise<SigningKey> {
    const own = ownSeed(this.configuration);
    if (own !== null) return signingKey('log', origin, own);
    // Kept for the life of the process, which so signs on while the seed is sealed again under a newer key.
    this.known ??= keptSeed(this.database, this.configuration);
    try {
      return signingKey('log', origin, await this.known);
    } catch (error) {
      this.known = null;
      throw error;
    }
  }
}

/**
 * Stores the seed of the log's key, unless there is one. @param secret the entry of the secret key from which it derives (RFC 5869); of
 * several processes, the first one decides. Throws Unavailable.
 */
export async function keepLogSeed(database: Database, configuration: Configuration, secret: Buffer): Promise<void> {
  const sealed = new Sealing(configuration, logSeedTable.label).seal(derivedSeed(secret), name);
  await database.query('INSERT INTO log_seed (sealed) VALUES ($1) ON CONFLICT DO NOTHING', [sealed]);
}

/** Deletes the seed, which no entry of the secret key opens any more. Throws Unavailable. */
export async function forgetLogSeed(database: Database): Promise<void> {
  await database.query('DELETE FROM log_seed');
}

/**
 * Returns the keys that a deployment's secrets make for a log, without changing anything: the one that signs, and those that would derive
 * from each entry if no seed were stored. @param database one that may be of an earlier version. Throws Unavailable.
 */
export async function possibleLogKeys(
  database: Database,
  configuration: Configuration,
  origin: string,
): Promise<readonly SigningKey[]> {
  const own = ownSeed(configuration);
  if (own !== null) return [signingKey('log', origin, own)];
  const { PARLEY_SECRET_KEY: secret } = configuration.env;
  if (secret === undefined) return [];
  const stored = await storedSeed(database, configuration);
  const seeds = [...(stored === null ? [] : [stored]), ...secretKeysIn(secret).map(derivedSeed)];
  return seeds.map((seed) => signingKey('log', origin, seed));
}

function ownSeed({ env }: Configuration): Buffer | null {
  return env.AUDIT_SIGNING_KEY === undefined ? null : Buffer.from(env.AUDIT_SIGNING_KEY, 'base64');
}

function derivedSeed(secret: Buffer): Buffer {
  return Buffer.from(hkdfSync('sha256', secret, '', derivation, seedBytes));
}

async function keptSeed(database: Database, configuration: Configuration): Promise<Buffer> {
  const { PARLEY_SECRET_KEY: secret } = configuration.env;
  if (secret === undefined) throw new Error('PARLEY_SECRET_KEY or AUDIT_SIGNING_KEY is needed to sign checkpoints');
  const [row] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM log_seed');
  if (row === undefined) throw new Error('the seed of the log is not stored: a start stores it');
  return new Sealing(configuration, logSeedTable.label).open(row.sealed, name);
}

async function storedSeed(database: Database, configuration: Configuration): Promise<Buffer | null> {
  const [made] = await database.query<{ is: boolean }>(`SELECT to_regclass('${name}') IS NOT NULL AS is`);
  if (made?.is !== true) return null;
  const [row] = await database.query<{ sealed: Buffer }>('SELECT sealed FROM log_seed');
  const opened = row && new Sealing(configuration, logSeedTable.label).openWithEntry(row.sealed, name);
  return opened?.plain ?? null;
}
