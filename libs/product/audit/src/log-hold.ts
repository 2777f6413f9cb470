/** Why a log signs nothing until an operator says what it is (docs/decisions/proof.md, "Copies"). */
export const holdReasons = ['restored', 'copied', 'moved', 'new_database', 'asked'] as const;

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
 * Where a database is: its cluster, its number in there and, where the cluster is of a data folder, the file that the folder began with.
 * Copies have others; a file system that is copied whole, block by block, has the same.
 */
export interface DatabasePlace {
  /** `system_identifier` of PostgreSQL; null where the role may not ask. */
  readonly cluster: string | null;
  readonly database: string;
  /** Inode and time of birth (0: unknown) of a file that is never written again; null for a PostgreSQL of one's own. */
  readonly file: { readonly inode: string; readonly bornMs: string } | null;
}

/** Whether two places can be the same one: what is not known of either says nothing. */
export function isSamePlace(one: DatabasePlace, other: DatabasePlace): boolean {
  if (one.cluster !== null && other.cluster !== null && one.cluster !== other.cluster) return false;
  if (one.database !== other.database) return false;
  if (one.file === null || other.file === null) return true;
  // Some file systems number their files anew at each mount, and some do not know when a file was made and say 0.
  const isBornAlike = Number(one.file.bornMs) > 0 && one.file.bornMs === other.file.bornMs;
  return one.file.inode === other.file.inode || isBornAlike;
}
