/** Why a log signs nothing until an operator says what it is (docs/decisions/proof.md, "Copies"). */
export const holdReasons = ['restored', 'copied', 'moved', 'new_database', 'witnessed', 'asked'] as const;

/** A log that signs nothing. */
export interface LogHold {
  /** The same for as long as the reason is the same. */
  readonly id: string;
  readonly why: (typeof holdReasons)[number];
  /** Null where it follows from where the database is. */
  readonly since: string | null;
  /** What was found, in a sentence without its end. */
  readonly says: string;
}

/** The command that ends it, for whoever reads of a hold. */
export const howToResume =
  'say parley audit resume --as copy where the other one lives on, --as successor where it is gone for good';

/**
 * Where a database is: its cluster, its number in there, that of the table which says so, the history of PostgreSQL that it is on, and, where
 * the cluster is of a data folder, the file that the folder began with. Copies have others, and so have most restores in the same place; a
 * file system that is copied whole, block by block, has the same.
 */
export interface DatabasePlace {
  /** `system_identifier` of PostgreSQL; null where the role may not ask. */
  readonly cluster: string | null;
  readonly database: string;
  /** A dump that is restored over a database makes its tables anew. Absent from places of earlier versions. */
  readonly table?: string | null;
  /** A recovery to a point in time, and a standby that takes over, begin another one. Null where the events are elsewhere, or nobody says. */
  readonly timeline?: string | null;
  /** Inode and time of birth (0: unknown) of a file that is never written again; null for a PostgreSQL of one's own. */
  readonly file: { readonly inode: string; readonly bornMs: string } | null;
}

/** Whether two places can be the same one: what is not known of either says nothing. */
export function isSamePlace(one: DatabasePlace, other: DatabasePlace): boolean {
  for (const part of ['cluster', 'database', 'table', 'timeline'] as const) {
    const [here, there] = [one[part] ?? null, other[part] ?? null];
    if (here !== null && there !== null && here !== there) return false;
  }
  if (one.file === null || other.file === null) return true;
  // Some file systems number their files anew at each mount, and some do not know when a file was made and say 0.
  const isBornAlike = Number(one.file.bornMs) > 0 && one.file.bornMs === other.file.bornMs;
  return one.file.inode === other.file.inode || isBornAlike;
}
