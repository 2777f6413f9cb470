import { createHash } from 'node:crypto';
import type { OperatorClient } from '../client';
import { zipFiles } from './zip-files';

/** An event in an export. */
export interface ExportedEvent {
  readonly stream: string;
  readonly seq: number;
  readonly id: string;
  readonly type: string;
  readonly by: string;
  readonly event: Readonly<Record<string, unknown>>;
}

/** The last file of an export. */
export interface Manifest {
  readonly format: string;
  readonly complete: boolean;
  readonly userId: string;
  readonly missing: {
    readonly total: number;
    readonly named: readonly { readonly what: string; readonly why: string }[];
  };
  readonly files: readonly { readonly name: string; readonly bytes: number; readonly sha256: string }[];
}

/** An export that was read whole. */
export interface ExportedFiles {
  readonly files: ReadonlyMap<string, Buffer>;
  readonly manifest: Manifest;
  readonly readme: string;
  readonly events: readonly ExportedEvent[];
}

/** Asks for the export of a user; the body is not read. */
export function askExport(
  operator: OperatorClient,
  userId: string,
  {
    body = { reason: 'the person asked for it' },
    signal,
  }: { readonly body?: object; readonly signal?: AbortSignal } = {},
): Promise<Response> {
  const headers = { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' };
  const url = `${operator.baseUrl}/operator/v1/users/${userId}/export`;
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), ...(signal && { signal }) });
}

/** Reads an archive, and checks each file against the manifest. @throws Error for one that is not whole */
export function exportedFiles(archive: Buffer): ExportedFiles {
  const files = zipFiles(archive);
  const names = [...files.keys()];
  // Reason for the assertion: only exports are read with this.
  const manifest = JSON.parse(textOf(files, 'manifest.json')) as Manifest;
  const listed = manifest.files.map(({ name }) => name);
  if (names.at(-1) !== 'manifest.json' || names.slice(0, -1).join() !== listed.join())
    throw new Error(`the archive has ${names.join()}, and the manifest ${listed.join()}`);
  for (const { name, bytes, sha256 } of manifest.files) {
    const content = files.get(name) ?? Buffer.alloc(0);
    if (content.length !== bytes || createHash('sha256').update(content).digest('hex') !== sha256)
      throw new Error(`${name} is not as the manifest says`);
  }
  const events = names.filter((name) => name.endsWith('.jsonl')).flatMap((name) => linesOf<ExportedEvent>(files, name));
  return { files, manifest, readme: textOf(files, 'README.md'), events: events.filter(({ event }) => event) };
}

/** Returns the lines of a file of an archive. */
export function linesOf<Line>(files: ReadonlyMap<string, Buffer>, name: string): Line[] {
  const lines = textOf(files, name)
    .split('\n')
    .filter((line) => line !== '');
  // Reason for the assertion: the caller knows the file.
  return lines.map((line) => JSON.parse(line) as Line);
}

function textOf(files: ReadonlyMap<string, Buffer>, name: string): string {
  const content = files.get(name);
  if (content === undefined) throw new Error(`the archive has no ${name}`);
  return content.toString('utf8');
}
