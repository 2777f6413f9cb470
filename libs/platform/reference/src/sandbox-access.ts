import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isJsonObject } from '@app/kernel';

const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;
const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;

/** Values that the reference fills in for its reader. */
export interface SandboxAccess {
  readonly partnerKey: string;
  readonly userToken: string;
  readonly userId: string;
}

/** Whether a request was sent to this machine's loopback address under a loopback name; a page from elsewhere sends its own name. */
export function isLoopback(host: string | undefined, localAddress: string | undefined): boolean {
  return loopbackHost.test(host ?? '') && loopbackAddress.test(localAddress ?? '');
}

/** The current credentials in `sandbox.json` of the data folder; null if there are none. @throws for a broken file */
export async function sandboxAccess(dataDir: string): Promise<SandboxAccess | null> {
  let text: string;
  try {
    text = await readFile(join(dataDir, 'sandbox.json'), 'utf8');
  } catch (error) {
    // Not `npm start`, or not ready yet.
    if (typeof error === 'object' && error !== null && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const access: unknown = JSON.parse(text);
  if (!isJsonObject(access)) return null;
  const { partnerKey, userToken, userId } = access;
  if (typeof partnerKey !== 'string' || typeof userToken !== 'string' || typeof userId !== 'string') return null;
  return { partnerKey, userToken, userId };
}
