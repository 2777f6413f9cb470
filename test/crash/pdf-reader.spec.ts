/**
 * A service that is killed while it reads a PDF leaves no process behind. Linux only, because other systems offer no
 * such list of children.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unfoldingPdf } from '@app/testing/pdf';
import { childrenOf, peakBytesOf } from '@app/testing/processes';
import { until } from '@app/testing/until';

const built = join(__dirname, '..', '..', 'dist', 'libs', 'product', 'artifacts', 'src', 'reading', 'pdf-reader.js');
/** The reader's own limit is 10 s of processor time, which it gets only slowly on a crowded machine. */
const goneWithinMs = 90_000;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parley-pdf-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the reader of a PDF', () => {
  it('is gone soon after a kill -9 of the process that started it', async () => {
    const file = join(folder, 'slow.pdf');
    await writeFile(file, unfoldingPdf(200));
    const reading = `const { PdfReader } = require(${JSON.stringify(built)});
      const open = () => require('node:fs/promises').readFile(${JSON.stringify(file)});
      void new PdfReader().textOf('anna', open, { offset: 0, length: 1 }, new AbortController().signal);`;
    const service = spawn(process.execPath, ['-e', reading], { stdio: 'inherit' });
    const pid = service.pid ?? 0;
    const child = await until('the child', () => Promise.resolve(childrenOf(pid)[0]));
    service.kill('SIGKILL');
    await once(service, 'exit');
    await until('its end', () => Promise.resolve(peakBytesOf(child) === 0 ? true : null), goneWithinMs);
  });
});
