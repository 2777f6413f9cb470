import { operation, type OperationGroup } from '@app/http';
import { text } from '@app/schema';

export const transparencyGroup: OperationGroup = {
  name: 'transparency',
  description: 'The Merkle log of all events, as C2SP tlog-tiles has it: hashes, open to everybody',
};

const cached = (value: string) => ({ 'Cache-Control': text({ description: 'For caches', examples: [value] }) });

/** A checkpoint is made each minute, so a cache may serve a slightly older one. */
export const checkpointCaching = 'public, max-age=2';
export const unchangingCaching = 'public, max-age=31536000, immutable';

export const readCheckpoint = operation('transparency.checkpoint', {
  route: 'GET /transparency/checkpoint',
  summary: 'The newest checkpoint of the log, with the signatures of its witnesses',
  description: 'A signed note (C2SP tlog-checkpoint). 404 as long as the log has none.',
  answer: { mediaType: 'text/plain', description: 'The note' },
  answerHeaders: cached(checkpointCaching),
});

export const readLogKeys = operation('transparency.key', {
  route: 'GET /transparency/key',
  summary: 'The public keys that the log was ever signed with',
  description: 'One in each line, the newest first, as C2SP signed-note writes them. 404 as long as the log has none.',
  answer: { mediaType: 'text/plain', description: 'The keys' },
  answerHeaders: cached(checkpointCaching),
});

export const readTile = operation('transparency.tile', {
  route: 'GET /transparency/tile/:level/*index',
  summary: 'Hashes of the log',
  description:
    'A tile of 256 hashes, or the first ones of it, as C2SP tlog-tiles names it. They never change. What the newest signed checkpoint ' +
    'does not cover is a 404.',
  parameters: {
    level: { description: 'Of the tile: 0 holds the leaves', example: '0' },
    index: {
      description: 'In groups of three digits; `.p/` and a width behind it for the first hashes of a tile',
      example: '000.p/1',
    },
  },
  answer: { mediaType: 'application/octet-stream', description: 'Hashes of 32 bytes', binary: true },
  answerHeaders: cached(unchangingCaching),
  ranged: true,
});
