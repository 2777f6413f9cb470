import type { Method } from '@app/http';
import type { JsonObject, JsonValue } from '@app/kernel';

/** A call of the operator API. */
export interface Call {
  readonly method: Method;
  /** With the ids and the query in it. */
  readonly path: string;
  readonly body?: JsonObject;
}

export interface Answered {
  readonly status: number;
  readonly body: JsonValue;
}

export interface OperatorApi {
  /** @throws NoAnswer */
  call(this: void, call: Call): Promise<Answered>;
  close(this: void): Promise<void>;
}

/** @throws SyntaxError where the answer is none of this service's */
export function parsed(text: string): JsonValue {
  // Reason for the assertion: what JSON.parse answers is JSON.
  return text === '' ? null : (JSON.parse(text) as JsonValue);
}
