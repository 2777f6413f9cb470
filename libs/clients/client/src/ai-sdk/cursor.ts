/** The part of a message that was shown before it was recorded. */
export interface ShownText {
  readonly kind: 'text' | 'reasoning';
  readonly messageId: string;
  /** In UTF-16 code units. */
  readonly length: number;
  /** Hash of the text that was shown, by `hashOf`; the beginning of the whole message must have the same. */
  readonly hash: number;
}

/** An exact position in the stream of a run. */
export interface Cursor {
  /** The `seq` of the run's `run.started`, where folding begins. */
  readonly startedSeq: number;
  /** All events up to this one were streamed. */
  readonly seq: number;
  /** Messages that were partly shown after that, and how much of each. */
  readonly shown: readonly ShownText[];
}

const numberPattern = '\\d{1,15}';
const textPattern = '[tr][0-9A-Za-z-]{1,64}_\\d{1,9}_[0-9a-z]{1,7}';
const textsMax = 8;
const pattern = new RegExp(`^${numberPattern}\\.${numberPattern}(\\.${textPattern}){0,${textsMax}}$`);

export function writeCursor({ startedSeq, seq, shown }: Cursor): string {
  const texts = shown
    .slice(-textsMax)
    .map(
      ({ kind, messageId, length, hash }) =>
        `${kind === 'text' ? 't' : 'r'}${messageId}_${length}_${hash.toString(36)}`,
    );
  return [startedSeq, seq, ...texts].join('.');
}

/** Returns the position that a cursor encodes; null if `writeCursor` did not write it. */
export function readCursor(cursor: string): Cursor | null {
  if (!pattern.test(cursor)) return null;
  const [startedSeq = '', seq = '', ...texts] = cursor.split('.');
  const place = { startedSeq: Number(startedSeq), seq: Number(seq), shown: texts.map(readShown) };
  return place.startedSeq >= 1 && place.seq >= place.startedSeq - 1 ? place : null;
}

function readShown(text: string): ShownText {
  const [messageId = '', length = '', hash = ''] = text.slice(1).split('_');
  return {
    kind: text.startsWith('t') ? 'text' : 'reasoning',
    messageId,
    length: Number(length),
    hash: parseInt(hash, 36),
  };
}

/** Returns FNV-1a (32 bits) over UTF-16 code units, to compare beginnings. @param before hash of the preceding text */
export function hashOf(text: string, before = 0x811c9dc5): number {
  let hash = before;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
