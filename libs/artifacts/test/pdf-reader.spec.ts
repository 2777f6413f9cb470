import { randomBytes } from 'node:crypto';
import { PdfReader } from '../src/pdf-reader';
import { pdfOf } from '../../../test/support/pdf-files';

const never = new AbortController().signal;
const reader = new PdfReader();

describe('the text of a PDF', () => {
  it('is that of its pages, line by line', async () => {
    const pdf = pdfOf([['It rained.', 'We stayed in.'], ['Then the sun came out.']]);
    expect(await reader.textOf(pdf, never)).toBe('It rained.\nWe stayed in.\n\nThen the sun came out.');
  });

  it('ends at the page that is one too many, and says so', async () => {
    const pdf = pdfOf(Array.from({ length: 203 }, (_, page) => [`page ${page + 1}`]));
    const text = (await reader.textOf(pdf, never)) ?? '';
    expect(text).toContain('page 200');
    expect(text).not.toContain('page 201');
    expect(text).toMatch(/\[Only the first 200 of 203 pages were read\.\]$/);
  });

  it('is none where the PDF is broken, or is none', async () => {
    const whole = pdfOf([['x']]);
    for (const bytes of [Buffer.from('x'), randomBytes(10_000), Buffer.from('%PDF-1.7\n'), whole.subarray(0, 60)]) {
      expect(await reader.textOf(bytes, never)).toBeNull();
    }
    expect(await reader.textOf(whole, never)).toBe('x');
  });

  it('is not waited for when nobody wants it any more', async () => {
    const abort = new AbortController();
    const reading = reader.textOf(pdfOf([['x']]), abort.signal);
    abort.abort();
    await expect(reading).rejects.toThrow(/abort/i);
    await expect(reader.textOf(pdfOf([['x']]), abort.signal)).rejects.toThrow(/abort/i);
    expect(await reader.textOf(pdfOf([['x']]), never)).toBe('x');
  });
});
