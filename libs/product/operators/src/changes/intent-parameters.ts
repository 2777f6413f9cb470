import { instantIn, type Instant, type JsonObject } from '@app/kernel';

/** Read a parameter of the log entry that the change itself wrote. Each throws TypeError if it is missing. */
export function textIn(parameters: JsonObject, name: string): string {
  const value = parameters[name];
  if (typeof value !== 'string') throw new TypeError(`the intent has no ${name}`);
  return value;
}

export function numberIn(parameters: JsonObject, name: string): number {
  const value = parameters[name];
  if (typeof value !== 'number') throw new TypeError(`the intent has no ${name}`);
  return value;
}

export function instantOfIntent(parameters: JsonObject, name: string): Instant {
  const value = instantIn(parameters[name]);
  if (value === null) throw new TypeError(`the intent has no ${name}`);
  return value;
}
