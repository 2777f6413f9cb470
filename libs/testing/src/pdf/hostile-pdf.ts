import { constants, deflateRawSync, deflateSync } from 'node:zlib';

const MIB = 1024 * 1024;

/**
 * Returns a PDF with one page whose content is this many MiB of spaces, compressed so many times that the file takes
 * about 2 KB or less.
 */
export function unfoldingPdf(mebibytes: number): Buffer {
  let content = packedSpaces(mebibytes);
  let filters = '/FlateDecode';
  while (content.length > 1_200) {
    content = deflateSync(content, { level: 9 });
    filters += ' /FlateDecode';
  }
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from('<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>'),
    Buffer.concat([
      Buffer.from(`<< /Length ${content.length} /Filter [${filters}] >>\nstream\n`),
      content,
      Buffer.from('\nendstream'),
    ]),
  ];
  const parts = [Buffer.from('%PDF-1.4\n')];
  const places = objects.map((object, index) => {
    const at = Buffer.concat(parts).length;
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const tableAt = Buffer.concat(parts).length;
  const table = `xref\n0 5\n0000000000 65535 f \n${places.join('')}trailer\n<< /Size 5 /Root 1 0 R >>\n`;
  return Buffer.concat([...parts, Buffer.from(`${table}startxref\n${tableAt}\n%%EOF\n`)]);
}

/** Compresses one MiB and repeats it, so that the whole is never in memory. */
function packedSpaces(mebibytes: number): Buffer {
  const block = deflateRawSync(Buffer.alloc(MIB, ' '), { level: 9, finishFlush: constants.Z_FULL_FLUSH });
  const checksum = Buffer.alloc(4); // pdf.js does not check it
  const blocks = Array.from({ length: mebibytes }, () => block);
  return Buffer.concat([Buffer.from([0x78, 0x9c]), ...blocks, deflateRawSync(Buffer.alloc(0)), checksum]);
}
