import type { JsonObject, JsonValue } from '@app/kernel';
import { listIn, nameIn, objectIn, type FrameNotes } from './frame-notes';
import { isSameJson, JsonEnd } from './json-end';

const repeated = 'a call that came again';

/** A piece of a call in OpenAI's form; texts are empty where the piece has none. */
interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly extra: JsonValue | undefined;
}

/** One call of an answer as far as its pieces have arrived, and the pieces of it that are passed to the SDK. */
class BegunCall {
  name = '';
  args = '';
  private readonly end = new JsonEnd();
  private isGiven = false;

  /**
   * @param number identifies the call to the SDK
   * @param first the piece that began it
   * @param earlier calls of the same id: it repeats one of them if name and arguments are equal
   */
  constructor(
    private readonly number: number,
    private readonly first: CallPiece,
    private readonly earlier: readonly BegunCall[],
  ) {}

  get index(): number | undefined {
    return this.first.index;
  }

  get id(): string {
    return this.first.id;
  }

  /** Whether its arguments are complete. */
  get isWhole(): boolean {
    return this.end.reached;
  }

  /** Whether it repeats an earlier call of its id. */
  get isRepeated(): boolean {
    return !this.isGiven && this.earlier.some((call) => call.says(this));
  }

  /** Whether name and arguments equal these. */
  says({ name, args }: Pick<CallPiece, 'name' | 'args'>): boolean {
    return name === this.name && isSameJson(args, this.args);
  }

  /** A name may arrive in pieces until the first arguments; one that arrives again is no piece of it. */
  add({ name, args }: CallPiece): readonly JsonObject[] {
    if (name !== this.name) this.name += name;
    this.args += args;
    this.end.add(args);
    if (this.isGiven) return args === '' ? [] : [this.pieceOf({ arguments: args })];
    return this.args.trim() === '' || this.name === '' || this.earlier.length > 0 ? [] : [this.give()];
  }

  /** Returns what was held back, once no more pieces follow; null for arguments of no tool. */
  finish(): readonly (JsonObject | null)[] {
    if (this.isGiven || this.isRepeated) return [];
    if (this.name === '') return this.args.trim() === '' ? [] : [null];
    return [this.give()];
  }

  private give(): JsonObject {
    this.isGiven = true;
    const { extra } = this.first;
    const piece = this.pieceOf({ name: this.name, arguments: this.args });
    return extra === undefined ? piece : { ...piece, extra_content: extra };
  }

  private pieceOf(called: JsonObject): JsonObject {
    return { index: this.number, type: 'function', function: called };
  }
}

/**
 * The calls of tools in pieces, in OpenAI's present form and in the previous one. Servers number them, or name them by ids, or neither, or
 * give several the same: each piece is assigned to its call here, and the SDK gets each call under a number of its own.
 */
export class CallPieces {
  /** Whether any arrived. */
  any = false;
  private readonly begun: BegunCall[] = [];

  constructor(private readonly notes: FrameNotes) {}

  /** Null in the result is a piece that cannot be assigned to one call rather than another. */
  read({ tool_calls: calls, function_call: legacy }: JsonObject): readonly (JsonObject | null)[] {
    const pieces = listIn(calls).flatMap<CallPiece>((call) => this.pieceOf(objectIn(call)) ?? []);
    const old = pieces.length > 0 ? null : this.legacyPiece(objectIn(legacy));
    const read = old === null ? pieces : [old];
    if (read.length > 0) this.any = true;
    return read.flatMap((piece) => this.give(piece));
  }

  /** Returns the remainder of the calls, once no more pieces follow. */
  finish(): readonly (JsonObject | null)[] {
    if (this.begun.some(({ isRepeated }) => isRepeated)) this.notes.skip(repeated);
    return this.begun.flatMap((call) => call.finish());
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
      index: Number.isInteger(number) ? number : undefined,
      id: nameIn(id),
      extra: objectIn(extra) ?? undefined,
      ...this.calledIn(called),
    };
  }

  private give(piece: CallPiece): readonly (JsonObject | null)[] {
    const { name, args } = piece;
    const known = this.knownFor(piece);
    if (known === undefined && name === '') return this.giveOrphan(piece);
    if (known === undefined) return this.begin(piece);
    if (name !== '' && known.isWhole && /^\s*[{[]/.test(args)) {
      if (!known.says(piece)) return this.begin(piece);
      this.notes.skip(repeated);
      return [];
    }
    if (name !== '' && known.name !== '' && name !== known.name && known.args.trim() !== '') return this.begin(piece);
    return known.add(piece);
  }

  /** Finds the call of a piece by its id and its number; a piece with a name and another id begins a new call. */
  private knownFor({ index, id, name }: CallPiece): BegunCall | undefined {
    const byId = id === '' ? undefined : this.begun.findLast((call) => call.id === id && isSame(call.index, index));
    if (byId !== undefined || index === undefined) return byId;
    const byNumber = this.begun.findLast((call) => call.index === index);
    const isOther = name !== '' && id !== '' && byNumber !== undefined && byNumber.id !== '' && byNumber.id !== id;
    return isOther ? undefined : byNumber;
  }

  /**
   * Assigns a piece without a name and without a known call: to the call begun last, unless an earlier one waits for its arguments too. If
   * the last one is complete, the piece begins a call whose name follows later.
   */
  private giveOrphan(piece: CallPiece): readonly (JsonObject | null)[] {
    const last = this.begun.at(-1);
    const isAddressed = piece.index !== undefined || piece.id !== '';
    if (isAddressed && (last === undefined || last.isWhole)) return this.begin(piece);
    if (piece.args.trim() === '') return [];
    if (last === undefined || last.isWhole) return [null];
    return this.begun.some((other) => other !== last && other.args.trim() === '') ? [null] : last.add(piece);
  }

  private begin(piece: CallPiece): readonly JsonObject[] {
    const earlier = piece.id === '' ? [] : this.begun.filter(({ id }) => id === piece.id);
    const call = new BegunCall(this.begun.length, piece, earlier);
    this.begun.push(call);
    return call.add(piece);
  }

  private legacyPiece(called: JsonObject | null): CallPiece | null {
    return called === null ? null : { index: 0, id: '', extra: undefined, ...this.calledIn(called) };
  }

  /** Some servers send the arguments as an object rather than its JSON. */
  private calledIn({ name, arguments: given }: JsonObject): Pick<CallPiece, 'name' | 'args'> {
    const args = argumentsIn(given);
    this.notes.hear(args);
    return { name: typeof name === 'string' ? name : '', args };
  }
}

/** A missing number matches any. */
function isSame(one: number | undefined, other: number | undefined): boolean {
  return one === undefined || other === undefined || one === other;
}

function argumentsIn(given: JsonValue | undefined): string {
  if (given === undefined || given === null) return '';
  return typeof given === 'string' ? given : JSON.stringify(given);
}
