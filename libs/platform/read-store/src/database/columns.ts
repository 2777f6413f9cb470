import { DefaultNamingStrategy, getMetadataArgsStorage } from 'typeorm';

type RowOf<Row> = new () => Row;
type MemberOf<Row> = keyof Row & string;

/** A column is named after its member: `runKey` is stored in `run_key`. */
export class ColumnNames extends DefaultNamingStrategy {
  override columnName(member: string): string {
    return member.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

const names = new ColumnNames();

/** Names of an entity's columns in its order, except the given ones. */
export function membersOf<Row extends object, Left extends MemberOf<Row> = never>(
  row: RowOf<Row>,
  except: readonly Left[] = [],
): Exclude<MemberOf<Row>, Left>[] {
  const left: readonly string[] = except;
  const members = getMetadataArgsStorage().filterColumns(row);
  // Reason for the assertion: the columns that the entity declares are members of its class.
  return members.map(({ propertyName }) => propertyName).filter((name) => !left.includes(name)) as Exclude<
    MemberOf<Row>,
    Left
  >[];
}

/**
 * Returns the column list of a SELECT, each column under its member's name.
 * @example
 * selectList(RunRow, ['runKey', 'segment']) // "run_key" AS "runKey", "segment"
 * @param computed SQL of members that are not columns
 * @param table the name or alias of the table within the statement, if that has several tables
 * @throws Error when a member is neither a column nor computed
 */
export function selectList<Row extends object, Computed extends string = never>(
  row: RowOf<Row>,
  members: readonly (MemberOf<Row> | NoInfer<Computed>)[],
  { computed, table }: { readonly computed?: Readonly<Record<Computed, string>>; readonly table?: string } = {},
): string {
  const sql = new Map<string, string>(Object.entries(computed ?? {}));
  const columns = new Set<string>(membersOf(row));
  const prefix = table === undefined ? '' : `${table}.`;
  const selected = members.map((member) => {
    const expression = sql.get(member);
    if (expression !== undefined) return `${expression} AS "${member}"`;
    if (!columns.has(member)) throw new Error(`${row.name} has no column for ${member}`);
    const column = names.columnName(member);
    return `${prefix}"${column}"${column === member ? '' : ` AS "${member}"`}`;
  });
  return selected.join(', ');
}
