/**
 * The system's words for a call that it refused: `ENOSPC: no space left on device, write`, with the path where the call has one. Null for
 * any other error. By its shape, since errors of Node itself can be of another realm than this code.
 */
export function systemWords(error: unknown): string | null {
  const isOfSystem = typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
  return isOfSystem && typeof error.message === 'string' ? error.message : null;
}
