import { inflateRawSync } from 'node:zlib';

const endSignature = 0x06054b50;
const endBytes = 22;
const entrySignature = 0x02014b50;

/** Returns the files of a ZIP archive, in order, read by its directory. @throws Error for an archive that was cut */
export function zipFiles(archive: Buffer): Map<string, Buffer> {
  const end = archive.length - endBytes;
  if (end < 0 || archive.readUInt32LE(end) !== endSignature) throw new Error('the archive was cut');
  const files = new Map<string, Buffer>();
  const count = archive.readUInt16LE(end + 10);
  for (let n = 0, at = archive.readUInt32LE(end + 16); n < count; n += 1) {
    if (archive.readUInt32LE(at) !== entrySignature) throw new Error('the directory is damaged');
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => archive.readUInt16LE(at + offset));
    const name = archive.toString('utf8', at + 46, at + 46 + (nameBytes ?? 0));
    files.set(name, contentAt(archive, archive.readUInt32LE(at + 42), archive.readUInt32LE(at + 20)));
    at += 46 + (nameBytes ?? 0) + (extraBytes ?? 0) + (commentBytes ?? 0);
  }
  return files;
}

function contentAt(archive: Buffer, header: number, bytes: number): Buffer {
  const from = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const content = archive.subarray(from, from + bytes);
  return archive.readUInt16LE(header + 8) === 0 ? content : inflateRawSync(content);
}
