import type { Method } from '@app/http';
import type { JsonObject, JsonValue } from '@app/kernel';
import { AnswerTooLong } from '@app/runtime';

/** A call of the operator API. */
export interface Call {
  readonly method: Method;
  /** Contains the ids and the query. */
  readonly path: string;
  readonly body?: JsonObject;
  /** Receives the chunks of a success that is not JSON; the call then returns null as the body. */
  readonly take?: (chunk: Uint8Array) => Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly body: JsonValue;
}

export interface OperatorApi {
  /** Target of the calls: the origin of the service's URL, or the database whose stores this process works on. */
  readonly origin: string;
  /** @throws NoAnswer */
  call(this: void, call: Call): Promise<Answered>;
  close(this: void): Promise<void>;
}

/** Parses an answer; null if it is empty. @throws SyntaxError when it is none of this service's */
export function parsed(text: string): JsonValue {
  // Reason for the assertion: JSON.parse returns JSON.
  return text === '' ? null : (JSON.parse(text) as JsonValue);
}

/** Well over the largest page of a list. */
export const answerBytesMax = 64 * 1024 * 1024;

/** Passes the content to `take` if there is one, otherwise returns it parsed as JSON. */
export async function taken(
  { take }: Call,
  status: number,
  content: AsyncIterable<Uint8Array> | null,
): Promise<JsonValue> {
  const kept: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of content ?? []) {
    if (take !== undefined && status < 300) await take(chunk);
    else if ((bytes += chunk.length) > answerBytesMax) throw new AnswerTooLong(answerBytesMax);
    else kept.push(chunk);
  }
  return parsed(Buffer.concat(kept).toString());
}
