import { operation } from '@app/http';

export const readEntries = operation('transparency.entries', {
  route: 'GET /transparency/tile/entries/*index',
  scope: 'audit',
  summary: 'Entries of the log',
  description:
    'What a tile of leaves is made of, as C2SP tlog-tiles bundles it: which event of which stream, and the hashes of its stored bytes. ' +
    'What the newest signed checkpoint does not cover is a 404. The look is logged.',
  parameters: {
    index: {
      description: 'In groups of three digits; `.p/` and a width behind it for the first entries of a bundle',
      example: '000.p/1',
    },
  },
  answer: { mediaType: 'application/octet-stream', description: 'Entries, each behind its length', binary: true },
  ranged: true,
});
