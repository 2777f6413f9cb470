import { randomUUID } from 'node:crypto';

/**
 * The one member of the object that replaces structure whose numbers a double would spell differently; its value is the JSON that the
 * server wrote. No server can guess the name, so none can pass a text off as structure, or lose a member of its own.
 */
export const rawKey = `parley/json ${randomUUID()}`;

/** Tokens of JSON: strings, numbers, and what opens, ends or names a value. */
const token = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|[{}[\]:,]/g;
/** Members of a result that hold structure; `toolResult` is that of the protocol's revision 2024-10-07. */
const structures = ['structuredContent', 'toolResult'];

/**
 * Returns the JSON of a protocol message, in which the result's structure is replaced by an object with `rawKey` if a double would spell
 * one of its numbers differently: 2^53 + 1, `1.10`. Returns any other message unchanged.
 */
export function keepNumbers(message: string): string {
  if (!structures.some((name) => message.includes(name))) return message;
  const span = structureIn(message);
  if (span === null) return message;
  const [from, to] = span;
  const json = message.slice(from, to);
  return isFaithful(json) ? message : message.slice(0, from) + JSON.stringify({ [rawKey]: json }) + message.slice(to);
}

/** Whether a double spells every number of a JSON text exactly as the text does. */
export function isFaithful(json: string): boolean {
  for (const [part] of json.matchAll(token))
    if (/^[-\d]/.test(part) && JSON.stringify(Number(part)) !== part) return false;
  return true;
}

/** Returns the JSON without the space between its parts. */
export function minified(json: string): string {
  return json.replaceAll(/("[^"\\]*(?:\\.[^"\\]*)*")|\s+/g, (_all, text: string | undefined) => text ?? '');
}

/** Returns where the structure of the result begins and ends, or null if there is none, or it is neither object nor list. */
function structureIn(message: string): readonly [number, number] | null {
  const path: string[] = [];
  let key = '';
  let last = '';
  let from: number | null = null;
  for (const { 0: part, index } of message.matchAll(token)) {
    if (part === ':') key = last;
    else if (part === '{' || part === '[') {
      if (path.length === 2 && path[1] === 'result' && structures.includes(key)) from = index;
      path.push(key);
      key = '';
    } else if (part === '}' || part === ']') {
      path.pop();
      if (from !== null && path.length === 2) return [from, index + 1];
    } else if (part === ',') key = '';
    else last = part.slice(1, -1);
  }
  return null;
}

/** Reads each message of an event stream by `keepNumbers`. A body that is no stream is one message. */
export function keepNumbersOf(isStream: boolean): TransformStream<Uint8Array, Uint8Array> {
  const [decoder, encoder] = [new TextDecoder(), new TextEncoder()];
  const read = (line: string) => (isStream ? line.replace(/^data:.*/s, keepNumbers) : keepNumbers(line));
  let rest = '';
  return new TransformStream({
    transform(chunk, controller) {
      rest += decoder.decode(chunk, { stream: true });
      const end = isStream ? rest.lastIndexOf('\n') + 1 : 0;
      if (end === 0) return;
      const lines = rest.slice(0, end).split(/(?<=\n)/);
      rest = rest.slice(end);
      controller.enqueue(encoder.encode(lines.map(read).join('')));
    },
    flush(controller) {
      controller.enqueue(encoder.encode(read(rest + decoder.decode())));
    },
  });
}
