import type { FollowedTable } from './followed-tables';
import type { Partitions } from '../partitions/places';

/** The channel on which projectors publish the position of their read models. */
export const projectedChannel = 'parley_read_models';

/** The position that all read models of a program have passed, for the partitions of one projector. */
export interface Progress extends Partitions {
  readonly program: number;
  readonly position: number;
}

/** Formats progress for the channel: `<program>:<position>:<number of partitions>:<partitions of this projector>`. */
export function payloadOf({ program, position, count, held }: Progress): string {
  return `${program}:${position}:${count}:${held.join()}`;
}

/** Parses a payload of the channel; null if it is malformed. */
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
