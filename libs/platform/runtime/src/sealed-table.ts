/** The columns of a row, as PostgreSQL returns them; those that `boundTo` reads are texts or uuids. */
export type SealedRow = Readonly<Record<string, string>>;

/** One table with sealed values: where they are and how they open, for the code that uses them and for rotations of the secret key. */
export interface SealedTable {
  readonly table: string;
  /** Its primary key, of one column. */
  readonly key: string;
  readonly keyType: 'uuid' | 'text' | 'boolean';
  /** The column of the sealed value; NULL in a row whose value was destroyed. */
  readonly value: string;
  /** The label of `Sealing`. */
  readonly label: string;
  /** Returns the name to which the value of a row is bound. */
  readonly boundTo: (this: void, row: SealedRow) => string;
}
