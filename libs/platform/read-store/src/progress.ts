import type { FollowedTable } from './followed-tables';
import type { Partitions } from './partition-leases';

/** The channel on which projectors say how far their read models are. */
export const projectedChannel = 'parley_read_models';

/** How far all read models of a program are, for the partitions of one projector. */
export interface Progress extends Partitions {
  readonly program: number;
  readonly position: number;
}

/** As it is said on the channel: `<program>:<position>:<number of partitions>:<those that are meant>`. */
export function payloadOf({ program, position, count, held }: Progress): string {
  return `${program}:${position}:${count}:${held.join()}`;
}

/** What was said; null where it is not of this form. */
export function progressIn(payload: string): Progress | null {
  const [, program, position, count, held] = /^(\d+):(\d+):(\d+):([\d,]+)$/.exec(payload) ?? [];
  if (program === undefined || position === undefined || count === undefined || held === undefined) return null;
  return {
    program: Number(program),
    position: Number(position),
    count: Number(count),
    held: held.split(',').map(Number),
  };
}

/** The lowest position of each read model's tables, by its name. */
export function lowestOfEach(
  tables: readonly FollowedTable[],
  positions: ReadonlyMap<string, number>,
): Map<string, number> {
  const lowest = new Map<string, number>();
  for (const { projection, table } of tables)
    lowest.set(projection.name, Math.min(positions.get(table) ?? 0, lowest.get(projection.name) ?? Infinity));
  return lowest;
}
