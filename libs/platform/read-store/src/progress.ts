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
