import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const script = join(__dirname, '..', '..', '..', '..', 'scripts', 'verify-receipt.mjs');

/** The verifier's output for a receipt, run the way that a reader would. */
export async function verified(document: unknown, ...keys: readonly string[]): Promise<{ code: number; said: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'parley-receipts-'));
  try {
    const file = join(folder, 'receipt.json');
    await writeFile(file, JSON.stringify(document));
    const env = { PATH: process.env['PATH'] ?? '' };
    return await promisify(execFile)(process.execPath, [script, file, ...keys], { env }).then(
      ({ stdout }) => ({ code: 0, said: stdout }),
      (error: { code: number; stdout: string }) => ({ code: error.code, said: error.stdout }),
    );
  } finally {
    await rm(folder, { recursive: true });
  }
}
