import { failureWords } from '@app/kernel';
import { Injectable, Logger, type BeforeApplicationShutdown } from '@nestjs/common';
import { Database, migration, Processes, processGoneMs } from '@app/read-store';
import { Configuration } from '@app/settings';
import { v7 as uuidV7 } from 'uuid';

/** Half of the key of an advisory lock that serializes the opens of one user; the other half is the user. */
const lockClass = 7_265_004;

export const streamSocketsMigrations = [
  // Open SSE sockets of the deployment: operational rows, no read model. If a partner key holds one, its id is in place of the user's. A
  // function, because each of its statements sees everything committed before it: a single statement that takes the lock and counts would
  // count the rows from before it got the lock.
  migration(
    400,
    'CreateStreamSockets',
    `
      CREATE TABLE stream_sockets (
        id uuid PRIMARY KEY, process_id uuid NOT NULL, user_id uuid NOT NULL, opened_at timestamptz NOT NULL DEFAULT now());
      CREATE INDEX stream_sockets_of_user ON stream_sockets (user_id);
      CREATE FUNCTION open_stream_socket(
        new_id uuid, new_process_id uuid, new_user_id uuid, sockets_max integer, gone_ms integer) RETURNS boolean
      LANGUAGE plpgsql AS $$
      DECLARE
        open_count integer;
      BEGIN
        PERFORM pg_advisory_xact_lock(${lockClass}, hashtext(new_user_id::text));
        SELECT count(*) INTO open_count FROM stream_sockets s JOIN processes p ON p.id = s.process_id
          WHERE s.user_id = new_user_id AND p.heartbeat_at > clock_timestamp() - gone_ms * interval '1 ms';
        IF open_count >= sockets_max THEN
          RETURN false;
        END IF;
        INSERT INTO stream_sockets (id, process_id, user_id) VALUES (new_id, new_process_id, new_user_id);
        RETURN true;
      END $$;
    `,
  ),
];

/** $1 socket, $2 process, $3 owner, $4 how many it may have, $5 silence in ms after which a process does not count. */
const openSocket = 'SELECT open_stream_socket($1, $2, $3, $4, $5) AS opened';

/** $1 sockets. */
const closeSockets = 'DELETE FROM stream_sockets WHERE id = ANY($1::uuid[])';

/** Restores rows of open sockets that others swept while this process was silent. $1 process, $2 sockets, $3 their owners. */
const keepSockets = `
  INSERT INTO stream_sockets (id, process_id, user_id)
  SELECT socket, $1, owner FROM unnest($2::uuid[], $3::uuid[]) AS open (socket, owner)
  ON CONFLICT (id) DO NOTHING`;

/**
 * Removes rows of processes without a heartbeat for $1 ms, and rows of this process for sockets that it does not have open: an open whose
 * answer was lost leaves one. $2 this process, $3 its open sockets.
 */
const sweepSockets = `
  DELETE FROM stream_sockets s WHERE
    NOT EXISTS (
      SELECT 1 FROM processes p WHERE p.id = s.process_id AND p.heartbeat_at > clock_timestamp() - $1 * interval '1 ms')
    OR (s.process_id = $2 AND s.opened_at < now() - interval '1 minute' AND s.id <> ALL($3::uuid[]))`;

/** Rows of a process that was silent for this long are removed; they stopped counting long before. */
const sweptAfterMs = 60_000;
const closeRetryMs = 1_000;

/** The owner whose streams are counted together. */
export interface SocketOwner {
  /** A UUID: of a user, or of a partner key. */
  readonly id: string;
  readonly streamsMax: number;
}

/**
 * Counts open streams: per owner over the whole deployment, exactly, and per replica (docs/decisions/journal.md).
 * A socket is a row of its process; rows of processes that are gone do not count.
 */
@Injectable()
export class StreamSockets implements BeforeApplicationShutdown {
  private readonly logger = new Logger(StreamSockets.name);
  private readonly open = new Map<string, string>();
  private closing: string[] = [];
  private closingNow: Promise<void> | null = null;
  private retry: NodeJS.Timeout | null = null;
  private taken = 0;

  constructor(
    private readonly database: Database,
    private readonly processes: Processes,
    private readonly configuration: Configuration,
  ) {}

  /** Returns a socket's id, to be passed to `release`; null when the replica or the owner has as many as allowed. Throws Unavailable. */
  async acquire({ id: owner, streamsMax }: SocketOwner): Promise<string | null> {
    const { STREAMS_PER_REPLICA } = this.configuration.env;
    if (this.taken >= STREAMS_PER_REPLICA) return null;
    this.taken += 1;
    const id = uuidV7();
    try {
      const parameters = [id, this.processes.id, owner, streamsMax, processGoneMs];
      const [row] = await this.database.query<{ opened: boolean }>(openSocket, parameters);
      if (row?.opened === true) {
        this.open.set(id, owner);
        return id;
      }
    } catch (error) {
      // It may have been opened all the same.
      this.closeLater(id);
      this.taken -= 1;
      throw error;
    }
    this.taken -= 1;
    return null;
  }

  /** Frees a socket's place; a repeated call does nothing. */
  release(id: string): void {
    if (!this.open.delete(id)) return;
    this.taken -= 1;
    this.closeLater(id);
  }

  /**
   * Restores rows of sockets that are open here and removes those of sockets that no process has open; to be called about once a minute.
   */
  async tidy(): Promise<void> {
    const owners = new Map(this.open);
    const ids = [...owners.keys()];
    await this.database.query(sweepSockets, [sweptAfterMs, this.processes.id, ids]);
    if (ids.length === 0) return;
    await this.database.query(keepSockets, [this.processes.id, ids, [...owners.values()]]);
    // A socket that was released meanwhile may have been restored.
    for (const id of ids) if (!this.open.has(id)) this.closeLater(id);
  }

  async beforeApplicationShutdown(): Promise<void> {
    for (const id of [...this.open.keys()]) this.release(id);
    if (this.retry !== null) clearTimeout(this.retry);
    await (this.closingNow ?? this.closeAll());
  }

  /** Sockets that close at the same time share one statement. */
  private closeLater(id: string): void {
    this.closing.push(id);
    if (this.retry === null) this.startClosing();
  }

  private startClosing(): void {
    this.closingNow ??= Promise.resolve().then(() => this.closeAll());
  }

  private async closeAll(): Promise<void> {
    this.retry = null;
    while (this.closing.length > 0 && this.retry === null) {
      const ids = this.closing;
      this.closing = [];
      try {
        await this.database.query(closeSockets, [ids]);
      } catch (error) {
        // The rows keep counting until this succeeds; new streams cannot open meanwhile either, so the list stays bounded.
        this.logger.warn(`${ids.length} sockets are closed later: ${failureWords(error)}`);
        this.closing.push(...ids);
        this.retry = setTimeout(() => this.startClosing(), closeRetryMs).unref();
      }
    }
    this.closingNow = null;
  }
}
