import { encodeReadReq, type Position } from './messages';

export type Direction = 'forwards' | 'backwards';

/** Reads one stream, from a revision (inclusive) or from its end. @throws RangeError for a revision that no stream has */
export function readOfStream(stream: string, from: number | 'end', maxCount: number, direction: Direction): Buffer {
  if (from !== 'end' && !(from >= 0)) throw new RangeError(`${from} is not a revision to read ${stream} from`);
  const place = from === 'end' ? { end: {} } : { revision: from };
  return encodeReadReq({
    stream: { stream: { name: Buffer.from(stream) }, ...place },
    ...reading(maxCount, direction),
  });
}

/** Reads all streams: forwards from a position (inclusive), backwards from before it. */
export function readOfAll(from: number | 'start' | 'end', maxCount: number, direction: Direction): Buffer {
  return encodeReadReq({ all: placeInAll(from), ...reading(maxCount, direction) });
}

/**
 * Subscribes to the streams of these categories, after a position (0: from the start). The server reports how far it has searched after
 * every `checkpointInterval` search windows.
 */
export function subscriptionTo(categories: readonly string[], after: number, checkpointInterval: number): Buffer {
  return encodeReadReq({
    all: placeInAll(after === 0 ? 'start' : after),
    direction: 0,
    subscription: {},
    filter: {
      streamName: { prefixes: categories.map((category) => `${category}-`) },
      count: {},
      checkpointIntervalMultiplier: checkpointInterval,
    },
    uuids: { text: {} },
  });
}

function reading(maxCount: number, direction: Direction) {
  return { direction: direction === 'forwards' ? 0 : 1, count: maxCount, noFilter: {}, uuids: { text: {} } } as const;
}

/** An event's commit and prepare positions are equal, unless an old client wrote it in a transaction. */
function placeInAll(from: number | 'start' | 'end') {
  if (from === 'start') return { start: {} };
  if (from === 'end') return { end: {} };
  const position: Position = { commit: from, prepare: from };
  return { position };
}
