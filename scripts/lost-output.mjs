// Notices that the output of a script could not be written: then it did not succeed, whatever else it did.
import { setImmediate } from 'node:timers/promises';

/** As a shell reports a program that SIGPIPE ended: whoever read its output closed it. */
const unread = 141;

/**
 * @param {() => number | Promise<number>} body writes its results to stdout
 * @returns {Promise<number>} the exit code: the body's own where all of its output was taken
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
