import type { JsonObject, JsonValue } from '@app/kernel';
import { listIn, nameIn, objectIn, wordsIn, type FrameNotes } from './frame-notes';

/** The calls of tools in pieces, in OpenAI's present form and in the one before. */
export class CallPieces {
  /** Whether any came. */
  any = false;

  constructor(private readonly notes: FrameNotes) {}

  read({ tool_calls: calls, function_call: legacy }: JsonObject): readonly JsonObject[] {
    const pieces = listIn(calls).flatMap<JsonObject>((call) => this.pieceOf(objectIn(call)) ?? []);
    const old = pieces.length > 0 ? null : this.legacyPiece(objectIn(legacy));
    const read = old === null ? pieces : [old];
    if (read.length > 0) this.any = true;
    return read;
  }

  private pieceOf(call: JsonObject | null): JsonObject | null {
    if (call === null) return null;
    const called = objectIn(call['function']);
    if (called === null) {
      const { type } = call;
      if (type !== undefined && type !== 'function') this.notes.skip(`calls of type ${nameIn(type)}`);
      return null;
    }
    const { index, id, extra_content: extra } = call;
    const number = index === undefined || index === null ? NaN : Number(index);
    return {
      ...(Number.isInteger(number) ? { index: number } : {}),
      ...(nameIn(id) === '' ? {} : { id: nameIn(id) }),
      type: 'function',
      function: this.calledIn(called),
      ...(objectIn(extra) === null ? {} : { extra_content: extra ?? null }),
    };
  }

  private legacyPiece(called: JsonObject | null): JsonObject | null {
    if (called === null) return null;
    const id = wordsIn(called['name']) === null ? {} : { id: 'call_legacy' };
    return { index: 0, ...id, type: 'function', function: this.calledIn(called) };
  }

  /** Some servers write the arguments as the object itself. */
  private calledIn({ name, arguments: given }: JsonObject): JsonObject {
    const text = argumentsIn(given);
    this.notes.hear(text ?? '');
    return { ...(typeof name === 'string' ? { name } : {}), ...(text === null ? {} : { arguments: text }) };
  }
}

function argumentsIn(given: JsonValue | undefined): string | null {
  if (given === undefined || given === null) return null;
  return typeof given === 'string' ? given : JSON.stringify(given);
}
