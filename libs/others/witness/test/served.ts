import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseVerifierKey, type VerifierKey } from '@app/transparency';
import { openWitness, witnessServer, type Witness } from '../src';

/** Parses a key. */
export function keyOf(text: string): VerifierKey {
  const key = parseVerifierKey(text);
  if (key === null) throw new Error(`no key: ${text}`);
  return key;
}

/** A witness that listens on loopback, in a folder of its own. */
export interface ServedWitness {
  readonly url: string;
  readonly folder: string;
  readonly witness: Witness;
  /** The `error` lines that its operator gets. */
  readonly errors: readonly Readonly<Record<string, unknown>>[];
  /** Its `warn` lines. */
  readonly warnings: readonly Readonly<Record<string, unknown>>[];
  submit(body: string | Uint8Array<ArrayBuffer>): Promise<{ status: number; type: string | null; body: string }>;
  get(path: string): Promise<{ status: number; body: string }>;
  /** Ends it; its folder remains. */
  stop(): Promise<void>;
  /** Ends it, and removes its folder unless that was given. */
  close(): Promise<void>;
}

export interface ServedOptions {
  readonly logs: readonly string[];
  readonly folder?: string;
  readonly now?: () => number;
}

export async function serveWitness({ logs, now, ...given }: ServedOptions): Promise<ServedWitness> {
  const folder = given.folder ?? (await mkdtemp(join(tmpdir(), 'parley-witness-')));
  const errors: Readonly<Record<string, unknown>>[] = [];
  const warnings: Readonly<Record<string, unknown>>[] = [];
  const onNews = (level: string, message: string, fields: object): void => {
    if (level === 'error') errors.push({ message, ...fields });
    if (level === 'warn') warnings.push({ message, ...fields });
  };
  const witness = await openWitness({
    folder,
    name: 'witness.example/w1',
    logs: logs.map(keyOf),
    onNews,
    ...(now === undefined ? {} : { now }),
  });
  const server = witnessServer(witness, onNews);
  const url = await server.listen({ host: '127.0.0.1', port: 0 });
  const stop = async (): Promise<void> => {
    await server.close();
    await witness.close();
  };
  return {
    url,
    folder,
    witness,
    errors,
    warnings,
    submit: async (body) => {
      const answer = await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
      return { status: answer.status, type: answer.headers.get('content-type'), body: await answer.text() };
    },
    get: async (path) => {
      const answer = await fetch(url + path);
      return { status: answer.status, body: await answer.text() };
    },
    stop,
    close: async () => {
      await stop();
      if (given.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
}
