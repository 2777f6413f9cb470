import type { JsonObject, JsonValue } from '@app/kernel';
import { isSameJson, JsonEnd } from './json-end';

/** A piece of a call in OpenAI's form; empty texts where it says nothing. */
export interface CallPiece {
  readonly index: number | undefined;
  readonly id: string;
  readonly name: string;
  readonly args: string;
  readonly extra: JsonValue | undefined;
}

/** One call of an answer as far as its pieces go, and the pieces of it that the SDK is given. */
export class BegunCall {
  name = '';
  args = '';
  private readonly end = new JsonEnd();
  private isGiven = false;

  /**
   * @param number by which the SDK knows it, and no other call
   * @param first the piece that began it
   * @param earlier calls of the same id: it is one of them where it says the same
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

  /** Whether it says what an earlier call of its id said. */
  get isRepeated(): boolean {
    return !this.isGiven && this.earlier.some((call) => call.says(this));
  }

  /** Whether name and arguments are these. */
  says({ name, args }: Pick<CallPiece, 'name' | 'args'>): boolean {
    return name === this.name && isSameJson(args, this.args);
  }

  /** A name may come in pieces until the first arguments; one that comes again is no piece of it. */
  add({ name, args }: CallPiece): readonly JsonObject[] {
    if (name !== this.name) this.name += name;
    this.args += args;
    this.end.add(args);
    if (this.isGiven) return args === '' ? [] : [this.pieceOf({ arguments: args })];
    return this.args.trim() === '' || this.name === '' || this.earlier.length > 0 ? [] : [this.give()];
  }

  /** The rest of it where nothing more comes; null for arguments of no tool. */
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
