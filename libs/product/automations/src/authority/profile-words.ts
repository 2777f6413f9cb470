import { isJsonObject, joined, quoted, quotedExactly, words } from '@app/kernel';
import type { JsonObject, JsonValue, Words } from '@app/kernel';

/**
 * Words for every member of a rule's profile. Null without one: its runs then act like any other run of the user.
 * @param quotedLengthMax maximum length of each quotation, in code points
 */
export function profileWords(profile: JsonObject | undefined, quotedLengthMax = Infinity): Words | null {
  const members = Object.entries(profile ?? {});
  if (members.length === 0) return null;
  return joined(
    members.map(([name, value]) => memberWords(name, value, quotedLengthMax)),
    ' and ',
  );
}

function memberWords(name: string, value: JsonValue, quotedLengthMax: number): Words {
  const text = quotedExactly(value, quotedLengthMax);
  switch (name) {
    case 'instructions':
      return words`with the instructions ${typeof value === 'string' ? quoted(value, quotedLengthMax) : text}`;
    case 'model':
      return words`by the model ${text}`;
    case 'tools':
      return toolsWords(value, quotedLengthMax);
    case 'maxSteps':
      return typeof value === 'number' ? words`in at most ${value} steps` : words`in at most ${text} steps`;
    default:
      // A member of a later release, or one that needs no words of its own.
      return words`with ${quotedExactly(name, quotedLengthMax)} set to ${text}`;
  }
}

function toolsWords(value: JsonValue, quotedLengthMax: number): Words {
  const names: readonly JsonValue[] = Array.isArray(value) && !isJsonObject(value) ? value : [value];
  if (names.length === 0) return words`without any tool`;
  const told = names.map((name) => quotedExactly(name, quotedLengthMax));
  return words`with no tools but ${joined(told, ' and ')}`;
}
