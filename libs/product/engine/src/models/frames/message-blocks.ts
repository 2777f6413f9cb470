import type { JsonObject, JsonValue } from '@app/kernel';
import { nameIn } from './frame-notes';
import { isSameJson } from './json-end';

interface OpenBlock {
  /** The block's number for the SDK. */
  readonly at: number;
  readonly kind: 'text' | 'thinking' | 'call';
  /** For a call: an input that arrived with its begin; it counts if no pieces follow. */
  readonly input: string;
  /** Input of a call so far, in pieces. */
  said: string;
  /** The begin of a call with the id of an earlier one; held back until it is known whether it repeats that one. */
  readonly held: JsonObject | null;
  readonly call: { readonly id: string; readonly name: string } | null;
}

/** The blocks of a message as the SDK accepts them: each is begun before it is filled, and ended. */
export class MessageBlocks {
  private readonly open = new Map<string, OpenBlock>();
  private readonly passed = new Set<string>();
  private readonly calls: { readonly id: string; readonly name: string; readonly input: string }[] = [];
  private count = 0;

  constructor(private readonly onRepeated: () => void) {}

  /** Adds words to a block, and begins one if none of that kind is open. */
  say(index: JsonValue | undefined, kind: 'text' | 'thinking', text: string): readonly JsonObject[] {
    const present = this.open.get(keyOf(index));
    const ended = present === undefined || present.kind === kind ? [] : this.stop(index);
    const begun = present?.kind === kind ? [] : [this.begin(index, kind)];
    const at = this.open.get(keyOf(index))?.at ?? 0;
    const delta = kind === 'text' ? { type: 'text_delta', text } : { type: 'thinking_delta', thinking: text };
    return [...ended, ...begun, ...(text === '' ? [] : [{ type: 'content_block_delta', index: at, delta }])];
  }

  startCall(
    index: JsonValue | undefined,
    { id, name, input }: { readonly id: string | null; readonly name: string; readonly input: string },
  ): readonly JsonObject[] {
    const ended = this.stop(index);
    const call = { id: id ?? `toolu_${this.count}`, name };
    const isHeld = this.calls.some((earlier) => earlier.id === call.id);
    const block = { type: 'tool_use', id: isHeld ? `${call.id}_${this.count}` : call.id, name, input: {} };
    const begun = this.begin(index, 'call', block, { input, call, isHeld });
    return isHeld ? ended : [...ended, begun];
  }

  /** Adds a piece of a call's input; null if the block is no call. */
  addInput(index: JsonValue | undefined, json: string): readonly JsonObject[] | null {
    const block = this.open.get(keyOf(index));
    if (block?.kind !== 'call') return null;
    block.said += json;
    return json === '' || block.held !== null ? [] : [inputDelta(block.at, json)];
  }

  /** Marks a block that is not read, with all that follows for it. */
  pass(index: JsonValue | undefined): void {
    this.passed.add(keyOf(index));
  }

  isPassed(index: JsonValue | undefined): boolean {
    return this.passed.has(keyOf(index));
  }

  stop(index: JsonValue | undefined): readonly JsonObject[] {
    const key = keyOf(index);
    this.passed.delete(key);
    const block = this.open.get(key);
    if (block === undefined) return [];
    this.open.delete(key);
    const { at, said, input, held, call } = block;
    const late = said !== '' || input === '' ? [] : [inputDelta(at, input)];
    const end = { type: 'content_block_stop', index: at };
    if (call === null) return [end];
    const told = { ...call, input: said === '' ? input : said };
    const isRepeated = this.calls.some(
      ({ id, name, input: earlier }) => id === told.id && name === told.name && isSameJson(earlier, told.input),
    );
    this.calls.push(told);
    if (held === null) return [...late, end];
    if (isRepeated) this.onRepeated();
    return isRepeated ? [] : [held, ...(told.input === '' ? [] : [inputDelta(at, told.input)]), end];
  }

  stopAll(): readonly JsonObject[] {
    return [...this.open.keys()].flatMap((key) => this.stop(key));
  }

  private begin(
    index: JsonValue | undefined,
    kind: OpenBlock['kind'],
    block: JsonObject = kind === 'text' ? { type: 'text', text: '' } : { type: 'thinking', thinking: '' },
    called: { readonly input: string; readonly call: OpenBlock['call']; readonly isHeld: boolean } = noCall,
  ): JsonObject {
    const at = this.count++;
    const begun = { type: 'content_block_start', index: at, content_block: block };
    // A passed block may lack its end; its number is then reused by the next block.
    this.passed.delete(keyOf(index));
    const { input, call, isHeld } = called;
    this.open.set(keyOf(index), { at, kind, input, said: '', call, held: isHeld ? begun : null });
    return begun;
  }
}

const noCall = { input: '', call: null, isHeld: false } as const;

function inputDelta(index: number, json: string): JsonObject {
  return { type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: json } };
}

function keyOf(index: JsonValue | undefined): string {
  return nameIn(index ?? 0);
}
