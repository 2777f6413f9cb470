import type { JsonObject, JsonValue } from '@app/kernel';
import { listIn, nameIn, objectIn, wordsIn, type FrameNotes } from './frame-notes';

/** A piece of a call in OpenAI's form, as far as the SDK reads it. */
type CallPiece = {
  readonly index?: number;
  readonly id?: string;
  readonly type: 'function';
  readonly function: JsonObject;
  readonly extra_content?: JsonValue;
};

interface BegunCall {
  readonly index: number | undefined;
  readonly id: string | undefined;
  hasArguments: boolean;
}

/** Numbers of ours for calls with neither number nor id; no answer has so many of its own. */
const unnumberedFrom = 1_000_000;

/** The calls of tools in pieces, in OpenAI's present form and in the one before. */
export class CallPieces {
  /** Whether any came. */
  any = false;
  /** Of each call begun by a piece: how the SDK finds it, and whether any of its arguments came. */
  private readonly begun: BegunCall[] = [];

  constructor(private readonly notes: FrameNotes) {}

  /** Null stands for a piece that cannot be told to belong to one call rather than another. */
  read({ tool_calls: calls, function_call: legacy }: JsonObject): readonly (JsonObject | null)[] {
    const pieces = listIn(calls).flatMap<CallPiece>((call) => this.pieceOf(objectIn(call)) ?? []);
    const old = pieces.length > 0 ? null : this.legacyPiece(objectIn(legacy));
    const read = old === null ? pieces : [old];
    if (read.length > 0) this.any = true;
    return read.map((piece) => this.addressed(piece));
  }

  private pieceOf(call: JsonObject | null): CallPiece | null {
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

  /**
   * A piece under the number or the id of its call. One with neither belongs to the call that was begun last; where an earlier one waits
   * for its arguments too, it might be either's.
   */
  private addressed(piece: CallPiece): JsonObject | null {
    const { index, id, function: called } = piece;
    const isNamed = wordsIn(called['name']) !== null;
    const hasArguments = wordsIn(called['arguments']) !== null;
    const known = this.begun.find((call) =>
      index === undefined ? id !== undefined && call.id === id : call.index === index,
    );
    if (isNamed && (known === undefined || (id !== undefined && known.id !== id))) {
      const number = index ?? (id === undefined ? unnumberedFrom + this.begun.length : undefined);
      this.begun.push({ index: number, id, hasArguments });
      return number === undefined ? piece : { ...piece, index: number };
    }
    if (index === undefined && id === undefined) return this.followUp(piece);
    if (known !== undefined && hasArguments) known.hasArguments = true;
    return piece;
  }

  private followUp(piece: CallPiece): JsonObject | null {
    const call = this.begun.at(-1);
    if (call === undefined || wordsIn(piece.function['arguments']) === null) return piece;
    if (this.begun.some((other) => other !== call && !other.hasArguments)) return null;
    call.hasArguments = true;
    return { ...piece, ...(call.index === undefined ? { id: call.id ?? '' } : { index: call.index }) };
  }

  private legacyPiece(called: JsonObject | null): CallPiece | null {
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
