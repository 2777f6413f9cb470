import { instantIn, type Instant, type JsonObject } from '@app/kernel';

/** What the log has under a name, as the change that wrote it put it there. Each throws TypeError where it is not there. */
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
