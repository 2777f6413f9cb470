import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync, gzipSync } from 'node:zlib';
import { createTestDatabase } from '../src/postgres';
import { ByteScan, MarkedWords } from '../src/words';
import { Client } from 'pg';

const words = new MarkedWords();
const other = words.word('another place');
const word = words.word('the place');

function found(content: Buffer | string): readonly (readonly [string, string | null])[] {
  const scan = new ByteScan(words);
  scan.scan('bytes', 'planted', content);
  return scan.found.map(({ encoding, word: named }) => [encoding, named]);
}

const text = `said: ${word}!`;
const planted: readonly (readonly [string, Buffer | string])[] = [
  ['raw', text],
  ['raw', JSON.stringify({ title: text })],
  ['base64', Buffer.from(text).toString('base64')],
  ['base64', Buffer.from(`${text}`).toString('base64url')],
  ['base64', Buffer.from(`x${text}`).toString('base64')],
  ['base64', Buffer.from(`xx${text}`).toString('base64url')],
  ['hex', Buffer.from(text).toString('hex')],
  ['hex', Buffer.from(text).toString('hex').toUpperCase()],
  ['UTF-16', Buffer.from(text, 'utf16le')],
  ['UTF-16', Buffer.from(text, 'utf16le').swap16()],
  ['JSON escapes', [...text].map((letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')],
  ['percent-encoded', [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')],
  ['upper case', text.toUpperCase()],
  ['raw', gzipSync(text)],
  ['raw', Buffer.concat([Buffer.from('a header'), gzipSync(`${'x'.repeat(99)}${text}`), Buffer.from('the rest')])],
  ['raw', Buffer.concat([Buffer.from('%PDF'), deflateSync(text), Buffer.from('endstream')])],
  ['base64', gzipSync(Buffer.from(text).toString('base64'))],
  ['raw', gzipSync(deflateSync(text))],
];

it.each(planted)('a planted word is found: %s (%#)', (encoding, content) => {
  expect(found(content).map(([form]) => form)).toContain(encoding);
});

it('a word says which place it was written to', () => {
  expect(found(text)).toEqual(expect.arrayContaining([['raw', 'the place']]));
  expect(found(`${other} ${'-'.repeat(50)}`)).toEqual(expect.arrayContaining([['raw', 'another place']]));
  expect([words.count, [...words.places]]).toEqual([2, ['another place', 'the place']]);
});

it('nothing is found where no word is', () => {
  const { prefix } = new MarkedWords();
  expect(found(`${prefix}000 ${Buffer.from(prefix).toString('base64')} ${words.prefix.slice(0, 7)}`)).toEqual([]);
});

it('a word is found below a folder, also as a name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'parley-words-'));
  try {
    await mkdir(join(folder, 'below', `${other}.d`), { recursive: true });
    await writeFile(join(folder, 'below', 'file'), text);
    const scan = new ByteScan(words);
    expect(await scan.scanFolder('files', folder)).toBe(1);
    expect(scan.lines()).toEqual([
      'files: a name of a file: another place (raw)',
      'files: below/file: the place (raw)',
    ]);
    expect(scan.bytes.get('files')).toBeGreaterThan(text.length);
  } finally {
    await rm(folder, { recursive: true });
  }
});

it('a word is found in a value that PostgreSQL compressed', async () => {
  const database = await createTestDatabase();
  const client = new Client({ connectionString: database.url });
  try {
    await client.connect();
    await client.query('CREATE TABLE t (v text COMPRESSION pglz)');
    await client.query('INSERT INTO t VALUES ($1)', [`${'some words that repeat, '.repeat(300)}${text}`]);
    await client.query('CHECKPOINT');
    const { rows } = await client.query<{ bytes: Buffer; compression: string }>(
      "SELECT pg_read_binary_file(pg_relation_filepath('t')) AS bytes, pg_column_compression(v) AS compression FROM t",
    );
    expect(rows[0]?.compression).toBe('pglz');
    const bytes = rows[0]?.bytes ?? Buffer.alloc(0);
    expect(bytes.includes(word)).toBe(false);
    expect(found(bytes).map(([form]) => form)).toContain('raw');
  } finally {
    await client.end();
    await database.drop();
  }
});
