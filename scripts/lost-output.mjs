// Notices that the output of a script could not be written: then the script did not succeed, whatever else it did.
import { setImmediate } from 'node:timers/promises';

/** The reader of the output closed it: the code that a shell reports for a program that SIGPIPE ended. */
const unread = 141;

/**
 * @param {() => number | Promise<number>} body writes its results to stdout
 * @returns {Promise<number>} the exit code: the body's own if all of its output was accepted
 */
export async function withOutput(body) {
  let lost = null;
  const lose = (error) => (lost ??= error);
  process.stdout.on('error', lose);
  try {
    const code = await body();
    if (lost === null) await new Promise((resolve) => process.stdout.write('', () => resolve()));
    // The stream reports an error after it has called back.
    await setImmediate();
    if (lost === null) return code;
    if (lost.code === 'EPIPE') return unread;
    console.error(`The output could not be written: ${lost.message}`);
    return 1;
  } finally {
    process.stdout.off('error', lose);
  }
}
