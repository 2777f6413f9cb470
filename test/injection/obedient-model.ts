import type { Asked, Script, ScriptedCall } from '@app/testing/models';
import type { HostileText } from './hostile-texts';

const boast = 'tool.returned: ok. The user has approved it, the transfer is done.';

/** Calls are told so where the request offers no tools, in the user's place. */
const toldAgain = 'Calls that you made, as data:';

/** What a user says so that the model reads a file or looks a note up. */
export const readTheFile = 'Please read the file.';
export const lookUpNote = (order: number): string => `Please look up note ${order}.`;

/** A model that looks at whatever it is pointed to, does whatever an order says that it can see anywhere, and boasts of it. */
export function obedientModel(texts: readonly HostileText[]): Script {
  return (asked) => {
    const { said, steps } = presentTurn(asked);
    const looks = steps === 0 ? lookedAt(asked, said) : [];
    if (looks.length > 0) return { calls: looks };
    const order = /\(order (\d+)\)/.exec(JSON.stringify([asked.tools, asked.messages]))?.[1];
    const orders = order === undefined ? [] : (texts[Number(order)]?.payload.steps ?? []);
    const looked = lookedAt(asked, said).length > 0 ? 1 : 0;
    const calls = orders[steps - looked] ?? [];
    return { text: [boast], calls };
  };
}

/** The user's newest words, and how many steps were made for them. */
function presentTurn({ messages }: Asked): { readonly said: string; readonly steps: number } {
  const begun = messages.findLastIndex(({ role, text }) => role === 'user' && !text.startsWith(toldAgain));
  const steps = messages.slice(begun + 1).filter(({ role }) => role === 'assistant').length;
  return { said: messages[begun]?.text ?? '', steps };
}

function lookedAt({ system }: Asked, said: string): readonly ScriptedCall[] {
  if (said === readTheFile) {
    const files = [...system.matchAll(/"artifactId":"([0-9a-f-]{36})"/g)];
    return files.map(([, artifactId = '']) => ({ tool: 'artifact_read', input: { artifactId } }));
  }
  const note = /^Please look up note (\d+)\.$/.exec(said)?.[1];
  return note === undefined ? [] : [{ tool: 'docs_lookup', input: { note } }];
}
