import { quotedNames } from './backup-files';
import { CannotCopy } from './connection';
import { firstTableOf } from './known-tables';
import { keysTable, manifestFile, type Manifest } from './manifest';

/** A restore of an older backup makes it, to hold the log, before the next start runs its migration. */
const heldLog = 'public.log_identity';
const notAsWritten = `${manifestFile} is not what was written, take another copy of the backup`;

/** @param known the names of all migrations of this program @throws CannotCopy when the backup names one that is not among them */
export function refuseUnknownMigrations({ migrations }: Manifest, known: readonly string[]): void {
  const unknown = migrations.filter((name) => !known.includes(name));
  if (unknown.length > 0)
    throw new CannotCopy(
      `the backup has migrations that this version does not know (${quotedNames(unknown)}): use a newer version`,
    );
}

/** PostgreSQL's class of errors for statements whose tables or columns are missing. */
const unfitStatement = /^42/;

/** The refusal of migrations that need others, which the backup does not name; any other error unchanged. */
export function refusalOfMigrations(error: unknown): unknown {
  const isUnfit = error instanceof Error && 'code' in error && unfitStatement.test(String(error.code));
  return isUnfit ? new CannotCopy(`the backup names migrations without those that they need: ${notAsWritten}`) : error;
}

/**
 * Each table of a deployment is in its backups, also an empty one. @param made the tables that the migrations of the backup made
 * @throws CannotCopy when the backup lacks one of them
 */
export function refuseMissingTables({ tables, keys }: Manifest, made: readonly string[]): void {
  const isApart = (name: string) => name === keysTable && keys !== undefined;
  const missing = made.filter((name) => !isApart(name) && !tables.some(({ table }) => table === name));
  if (missing.length > 0)
    throw new CannotCopy(
      `the backup lacks tables that the migrations it names make (${quotedNames(missing)}): ${notAsWritten}`,
    );
}

/**
 * @param leftOut tables of the backup that the migrations it names do not make
 * @param all the tables that all migrations of this program make
 * @throws CannotCopy when one is made by a migration that the backup does not name
 */
export function refuseLaterTables(leftOut: readonly string[], all: readonly string[]): void {
  const isLater = (name: string) => all.includes(name) || all.includes(firstTableOf(name) ?? '');
  const later = leftOut.filter((name) => name !== heldLog && isLater(name));
  if (later.length > 0)
    throw new CannotCopy(
      `the backup holds tables of migrations that it does not name (${quotedNames(later)}): ${notAsWritten}`,
    );
}
