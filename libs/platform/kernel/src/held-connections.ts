/**
 * Settings for a long-lived connection to PostgreSQL, for a lock or to listen: a lost host or network is silent, and the system's own
 * keep-alive takes two hours to notice.
 */

/** Options of a `pg` client that notices a lost server within 20 s (the probes are sent every second). */
export const heldConnection = { keepAlive: true, keepAliveInitialDelayMillis: 10_000 } as const;

/** A statement for the session: the server notices within 20 s that its client is gone, and releases its locks. */
export const noticeLostClient = `SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 2;
  SET tcp_keepalives_count = 5; SET tcp_user_timeout = 20000`;
