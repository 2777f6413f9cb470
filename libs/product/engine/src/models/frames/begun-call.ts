import type { JsonObject, JsonValue } from '@app/kernel';
import { isSameJson, JsonEnd } from './json-end';

/** A piece of a call in OpenAI's form; texts are empty where the piece has none. */
export interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly extra: JsonValue | undefined;
}

/** One call of an answer as far as its pieces have arrived, and the pieces of it that are passed to the SDK. */
export class BegunCall {
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
