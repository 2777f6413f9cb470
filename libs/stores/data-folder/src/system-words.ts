/**
 * The system's message for a call that it refused: `ENOSPC: no space left on device, write`, with the path if the call has one. Null for
 * any other error. Recognized by its shape, because errors of Node itself can be of another realm than this code.
 */
export function systemWords(error: unknown): string | null {
  const isOfSystem = typeof error === 'object' && error !== null && 'syscall' in error && 'message' in error;
  return isOfSystem && typeof error.message === 'string' ? error.message : null;
}
