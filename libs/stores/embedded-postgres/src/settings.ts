/** The file name of the socket follows from the port, which has no other use here. */
export const PORT = 5432;
export const SOCKET_FILE = `.s.PGSQL.${PORT}`;

/** For two cores and little memory. Passed on the command line at every start, so an update of them takes effect. */
const DEFAULTS: Readonly<Record<string, string>> = {
  max_connections: '200',
  shared_buffers: '128MB',
  effective_cache_size: '512MB',
  maintenance_work_mem: '64MB',
  huge_pages: 'off',
  // Reads in the backend itself, which saves three I/O worker processes.
  io_method: 'sync',
  max_parallel_workers: '2',
  max_parallel_workers_per_gather: '1',
  autovacuum_max_workers: '2',
  // A restart after kill -9 replays at most this much.
  max_wal_size: '512MB',
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  timezone: 'UTC',
  log_timezone: 'UTC',
  lc_messages: 'C',
  // Content of users stays out of the log: no statements, no parameters, no rows quoted in the details of an error.
  log_statement: 'none',
  log_min_duration_statement: '-1',
  log_min_error_statement: 'panic',
  log_parameter_max_length: '0',
  log_parameter_max_length_on_error: '0',
  log_error_verbosity: 'terse',
  log_checkpoints: 'off',
};

/** Settings that the launcher relies on. The socket's path is relative to the cluster, which is the server's working folder. */
const FIXED: Readonly<Record<string, string>> = {
  listen_addresses: '',
  unix_socket_directories: '.',
  unix_socket_permissions: '0700',
  port: String(PORT),
  logging_collector: 'off',
  log_destination: 'stderr',
};

/** Returns the command line arguments of `postgres`: `own` settings override the defaults, and the fixed ones override both. */
export function settingArguments(own: Readonly<Record<string, string>>): string[] {
  return Object.entries({ ...DEFAULTS, ...own, ...FIXED }).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
