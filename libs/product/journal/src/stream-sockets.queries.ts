import { migration } from '@app/read-store';

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
export const openSocket = 'SELECT open_stream_socket($1, $2, $3, $4, $5) AS opened';

/** $1 sockets. */
export const closeSockets = 'DELETE FROM stream_sockets WHERE id = ANY($1::uuid[])';

/** Restores rows of open sockets that others swept while this process was silent. $1 process, $2 sockets, $3 their owners. */
export const keepSockets = `
  INSERT INTO stream_sockets (id, process_id, user_id)
  SELECT socket, $1, owner FROM unnest($2::uuid[], $3::uuid[]) AS open (socket, owner)
  ON CONFLICT (id) DO NOTHING`;

/**
 * Removes rows of processes without a heartbeat for $1 ms, and rows of this process for sockets that it does not have open: an open whose
 * answer was lost leaves one. $2 this process, $3 its open sockets.
 */
export const sweepSockets = `
  DELETE FROM stream_sockets s WHERE
    NOT EXISTS (
      SELECT 1 FROM processes p WHERE p.id = s.process_id AND p.heartbeat_at > clock_timestamp() - $1 * interval '1 ms')
    OR (s.process_id = $2 AND s.opened_at < now() - interval '1 minute' AND s.id <> ALL($3::uuid[]))`;
