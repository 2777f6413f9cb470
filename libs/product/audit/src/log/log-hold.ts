/** Why a log signs nothing until an operator says how to resume it (docs/decisions/proof.md, "Copies"). */
export const holdReasons = ['restored', 'copied', 'moved', 'new_database', 'witnessed', 'asked'] as const;

/** Why and since when a log signs nothing. */
export interface LogHold {
  /** Stays the same as long as the reason does. */
  readonly id: string;
  readonly why: (typeof holdReasons)[number];
  /** Null if the hold follows from where the database is. */
  readonly since: string | null;
  /** The finding, as a sentence without its full stop. */
  readonly says: string;
}

/** How to end a hold, for messages that report one. */
export const howToResume =
  "say parley audit resume --as copy --reason '…' where the other one lives on, --as successor where it is gone for good";

/**
 * Identifies where a database is: its cluster, its own oid there, the oid of the table `log_identity`, the PostgreSQL
 * timeline and, for a cluster in a data folder of ours, the file that the folder began with. A copy differs in one of
 * them, and so do most restores in place; a file system copied block by block does not.
 */
export interface DatabasePlace {
  /** PostgreSQL's `system_identifier`; null if the role may not read it. */
  readonly cluster: string | null;
  readonly database: string;
  /** The table's oid: restoring a dump recreates tables. Absent from places recorded by earlier versions. */
  readonly table?: string | null;
  /** A recovery or a promoted standby begins another one. Null if unreadable, or the events are elsewhere. */
  readonly timeline?: string | null;
  /** Inode and time of birth (0: unknown) of a file that is never written again; null for an external PostgreSQL. */
  readonly file: { readonly inode: string; readonly bornMs: string } | null;
}

/** Whether two places can be the same one; a part that is unknown on either side is not compared. */
export function isSamePlace(one: DatabasePlace, other: DatabasePlace): boolean {
  for (const part of ['cluster', 'database', 'table', 'timeline'] as const) {
    const [here, there] = [one[part] ?? null, other[part] ?? null];
    if (here !== null && there !== null && here !== there) return false;
  }
  if (one.file === null || other.file === null) return true;
  // Some file systems renumber their files at each mount, and some do not record when a file was made and report 0.
  const isBornAlike = Number(one.file.bornMs) > 0 && one.file.bornMs === other.file.bornMs;
  return one.file.inode === other.file.inode || isBornAlike;
}
