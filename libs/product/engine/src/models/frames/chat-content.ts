import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { listIn, nameIn, objectIn, wordsIn, type FrameNotes } from './frame-notes';

export type Piece =
  | { readonly kind: 'content' | 'reasoning'; readonly text: string }
  /** A piece of a call, in OpenAI's form. */
  | { readonly kind: 'call'; readonly call: JsonObject }
  /** Leaves open which answer is meant, so nothing of it may be run. */
  | { readonly kind: 'error'; readonly message: string };

/** Members in which servers put a model's reasoning; those that fill two repeat the same, so the first that is not empty counts. */
const reasoningNames = ['reasoning_content', 'reasoning', 'reasoning_text', 'thinking'] as const;

/** Returns the words of a message or of a piece of one, in the order in which they are shown. A refusal counts as words, and is noted. */
export function contentPieces(speaker: JsonObject, notes: FrameNotes): Piece[] {
  const pieces: Piece[] = [];
  const say = (kind: 'content' | 'reasoning', text: string | null) => {
    if (text !== null) pieces.push({ kind, text });
  };
  say('reasoning', reasoningIn(speaker));
  for (const part of listIn(speaker['content'])) readPart(part, say, notes);
  const refusal = wordsIn(speaker['refusal']);
  if (refusal !== null) notes.decline();
  say('content', refusal);
  say('content', wordsIn(objectIn(speaker['audio'])?.['transcript']));
  return pieces;
}

function reasoningIn(speaker: JsonObject): string | null {
  const plain = reasoningNames.map((name) => wordsIn(speaker[name])).find((text) => text !== null);
  if (plain !== undefined) return plain;
  const details = [...listIn(speaker['reasoning_details']), ...listIn(speaker['thinking_blocks'])];
  return textsOf(details, ['text', 'summary', 'thinking']);
}

/** Reads the content, or one part of it if it is a list. */
function readPart(
  part: JsonValue,
  say: (kind: 'content' | 'reasoning', text: string | null) => void,
  notes: FrameNotes,
): void {
  if (typeof part === 'string') return say('content', wordsIn(part));
  if (!isJsonObject(part)) return undefined;
  const { type, text, refusal, thinking } = part;
  switch (nameIn(type)) {
    case '':
    case 'text':
    case 'output_text':
      return say('content', wordsIn(text) ?? wordsIn(objectIn(text)?.['value']));
    case 'refusal':
      notes.decline();
      return say('content', wordsIn(refusal) ?? wordsIn(text));
    case 'thinking':
    case 'reasoning':
      return say('reasoning', wordsIn(thinking) ?? wordsIn(text) ?? textsOf(listIn(thinking), ['text']));
    default:
      return notes.skip(`parts of type ${nameIn(type)}`);
  }
}

function textsOf(parts: readonly JsonValue[], names: readonly string[]): string | null {
  const texts = parts.flatMap((part) => names.flatMap((name) => wordsIn(objectIn(part)?.[name]) ?? []).slice(0, 1));
  return wordsIn(texts.join(''));
}
