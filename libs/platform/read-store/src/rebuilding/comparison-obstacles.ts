import { TookTooLong } from '@app/kernel';
import { DatabaseError } from 'pg';
import type { EntityMetadata } from 'typeorm';
import type { BuildingSession } from './building-session';
import { NotAtOnePlace, readWhole } from './compare-tables';
import { stallOf } from '../projecting/followed-tables';
import { refusesTable } from '../tables/table-making';
import { rootCauseText } from '../postgres/postgres-errors';

/** The two tables of one read model that are compared. */
interface Compared {
  readonly metadata: EntityMetadata;
  readonly live: string;
  readonly rebuilt: string;
}

/** Why a comparison was not possible. */
export interface Obstacle {
  readonly why: string;
  /** Whether the live table is the cause, rather than the rebuilt one or both. */
  readonly isOfLive: boolean;
  /** Whether it remains until an operator repairs it: a retry would fail in the same way. */
  readonly isLasting: boolean;
  /** The lower position of the two tables; -1 if it was not read. */
  readonly position: number;
}

/** Returns why a comparison threw. @throws the error itself if it does not concern a table */
export async function obstacleTo(session: BuildingSession, compared: Compared, error: unknown): Promise<Obstacle> {
  const { metadata, live, rebuilt } = compared;
  if (error instanceof NotAtOnePlace) {
    const stall = await stallOf(session.execute, live);
    const { message: why, position } = error;
    if (stall === null) return { why, isOfLive: false, isLasting: false, position };
    const stands = `${live} is stalled at event ${stall.revision} of ${stall.stream}`;
    return { why: stands, isOfLive: true, isLasting: true, position };
  }
  if (!isOfPostgres(error)) throw error;
  // The error does not say which of the two could not be read.
  try {
    await readWhole(session, metadata, rebuilt);
    return unreadable(live, error, true);
  } catch (own) {
    if (!isOfPostgres(own)) throw own;
    return unreadable(rebuilt, own, false);
  }
}

function isOfPostgres(error: unknown): boolean {
  return error instanceof TookTooLong || error instanceof DatabaseError;
}

function unreadable(table: string, error: unknown, isOfLive: boolean): Obstacle {
  return {
    why: `${table} could not be read (${rootCauseText(error)})`,
    isOfLive,
    isLasting: refusesTable(error),
    position: -1,
  };
}
