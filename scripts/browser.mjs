// Prints the path of a Chromium for the browser tests: CHROMIUM_PATH, one on the PATH, or Debian's, installed by apt-get when this is root
// on Debian.
import { findProgram, requireProgram } from './debian.mjs';

async function chromium() {
  const chosen = process.env.CHROMIUM_PATH;
  if (!chosen) return requireProgram('chromium', ' (or set CHROMIUM_PATH to a Chromium or Chrome)');
  const found = findProgram([chosen]);
  if (!found) throw new Error(`CHROMIUM_PATH is ${chosen}, which is no program that can be run`);
  return found;
}

try {
  console.log(await chromium());
} catch (error) {
  console.error(error.message);
  process.exitCode = 1;
}
