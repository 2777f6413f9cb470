/** How much of a message that is not recorded yet was shown. */
export interface ShownText {
  readonly kind: 'text' | 'reasoning';
  readonly messageId: string;
  /** In UTF-16 code units. */
  readonly length: number;
  /** Of what was shown, by `hashOf`: it must be how the whole message begins. */
  readonly hash: number;
}

/** An exact place in the telling of a run. */
export interface Cursor {
  /** Of the run's `run.started`: the fold begins there. */
  readonly startedSeq: number;
  /** All events up to this one were told. */
  readonly seq: number;
  /** And so much of what is being said. */
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

/** The place that a cursor names; null when it is none that `writeCursor` wrote. */
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

/** FNV-1a over UTF-16 code units, 32 bits: tells that a text is not the one that was begun. @param before of what comes before the text */
export function hashOf(text: string, before = 0x811c9dc5): number {
  let hash = before;
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash >>> 0;
}
