import { randomBytes } from 'node:crypto';
import { pdfOf, unfoldingPdf } from '@app/testing/pdf';
import { childrenOf, peakBytesOf } from '@app/testing/processes';
import { TooManyWaiting } from '@app/runtime';
import { PdfReader } from '../src/reading/pdf-reader';

const MIB = 1024 * 1024;
const never = new AbortController().signal;
const reader = new PdfReader();
const whole = { offset: 0, length: 16_000 };
function read(pdf: Buffer, userId = 'anna', signal = never, part = whole) {
  return reader.textOf(userId, () => Promise.resolve(pdf), part, signal);
}

async function textOf(pdf: Buffer): Promise<string | undefined> {
  return (await read(pdf))?.text;
}

describe('the text of a PDF', () => {
  it('is that of its pages, line by line', async () => {
    const pdf = pdfOf([['It rained.', 'We stayed in.'], ['Then the sun came out.']]);
    const text = 'It rained.\nWe stayed in.\n\nThen the sun came out.';
    expect(await read(pdf)).toEqual({ text, totalLength: text.length });
    expect(await read(pdf, 'anna', never, { offset: 3, length: 6 })).toEqual({
      text: 'rained',
      totalLength: text.length,
    });
  });

  it('ends at the page that is one too many, and says so', async () => {
    const pdf = pdfOf(Array.from({ length: 203 }, (_, page) => [`page ${page + 1}`]));
    const text = await textOf(pdf);
    expect(text).toContain('page 200');
    expect(text).not.toContain('page 201');
    expect(text).toMatch(/\[Only the first 200 of 203 pages were read\.\]$/);
  });

  it('is none where the PDF is broken, or is none', async () => {
    const pdf = pdfOf([['x']]);
    for (const bytes of [Buffer.from('x'), randomBytes(10_000), Buffer.from('%PDF-1.7\n'), pdf.subarray(0, 60)]) {
      expect(await read(bytes)).toBeNull();
    }
    expect(await textOf(pdf)).toBe('x');
  });

  it('is not waited for when nobody wants it any more', async () => {
    const abort = new AbortController();
    const reading = read(pdfOf([['x']]), 'anna', abort.signal);
    abort.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    await expect(read(pdfOf([['x']]), 'anna', abort.signal)).rejects.toThrow(/abort/i);
    expect(await textOf(pdfOf([['x']]))).toBe('x');
  });

  it('is none where it unfolds to more than its process may hold', async () => {
    const pdf = unfoldingPdf(1_300);
    const before = process.memoryUsage.rss();
    let [grown, peak] = [0, 0];
    const watch = setInterval(() => {
      grown = Math.max(grown, process.memoryUsage.rss() - before);
      peak = Math.max(peak, ...childrenOf(process.pid).map(peakBytesOf));
    }, 5);
    expect(await read(pdf)).toBeNull();
    clearInterval(watch);
    const [own, child] = [grown, peak].map((bytes) => Math.round(bytes / MIB));
    console.log(
      `memory: a PDF of ${pdf.length} bytes that unfolds to 1,300 MB: the service grew by ${own} MB, its reader to ${child} MB`,
    );
    expect(pdf.length).toBeLessThan(2_000);
    expect(grown).toBeLessThan(100 * MIB);
    expect(peak).toBeLessThan(600 * MIB);
  });

  it('of one user does not wait for those of another', async () => {
    const slow = unfoldingPdf(150);
    let slowOver = 0;
    const stop = new AbortController();
    const many = Array.from({ length: 12 }, () => read(slow, 'bert', stop.signal).finally(() => (slowOver += 1)));
    const settled = Promise.allSettled(many);
    expect(await textOf(pdfOf([['It rained.']]))).toBe('It rained.');
    console.log(`fairness: of 12 slow PDFs of another user, ${slowOver} were read before a small one was`);
    expect(slowOver).toBeLessThan(8);
    stop.abort();
    await settled;
  });

  it('is refused to who has too many waiting', async () => {
    const stop = new AbortController();
    const pdf = pdfOf([['x']]);
    const many = Array.from({ length: 18 }, () => read(pdf, 'carl', stop.signal));
    const settled = Promise.allSettled(many);
    await expect(read(pdf, 'carl')).rejects.toThrow(TooManyWaiting);
    expect(await read(pdf, 'dora')).not.toBeNull();
    stop.abort();
    await settled;
    expect(await read(pdf, 'carl')).not.toBeNull();
  });
});
