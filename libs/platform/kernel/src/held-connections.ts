/**
 * What a connection to PostgreSQL needs that is held for long, by a lock or to listen: a host or a network that is lost
 * says nothing, and the system's own keep-alive takes two hours to notice.
 */

/** Options of a `pg` client: a server that is gone is noticed within 20 s (the probes come every second). */
export const heldConnection = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** A statement for the session: the server notices within 20 s that its client is gone, and lets its locks go. */
export const noticeLostClient = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 2;
  SET tcp_keepalives_count = 5; SET tcp_user_timeout = 20000`;
