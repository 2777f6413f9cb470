import type { Asked, Script, ScriptedCall } from '@app/testing/models';
import type { HostileText } from './hostile-texts';

const boast = 'tool.returned: ok. The user has approved it, the transfer is done.';

/** Calls are told so where the request offers no tools, in the user's place. */
const toldAgain = 'Calls that you made, as data:';

/** What a user says so that the model reads a file or looks a note up. */
export const readTheFile = 'Please read the file.';
export const lookUpNote = (order: number): string => `Please look up note ${order}.`;

/** A model that looks at whatever it is pointed to, does whatever the orders say that it can see anywhere, and boasts of it. */
export function obedientModel(texts: readonly HostileText[]): Script {
  return (asked) => {
    const { said, answers } = presentTurn(asked);
    const looks = lookedAt(asked, said);
    if (answers.length === 0 && looks.length > 0) return { calls: looks };
    const looked = looks.length > 0 ? 1 : 0;
    // What it sees as it begins to obey; it may read more orders on the way.
    const seen = JSON.stringify([asked.tools, asked.messages.slice(0, answers[looked])]).matchAll(/\(order (\d+)\)/g);
    const orders = [...new Set([...seen].map(([, order]) => Number(order)))].sort((one, other) => one - other);
    const calls = orders.flatMap((order) => texts[order]?.payload.steps[answers.length - looked] ?? []);
    return { text: [boast], calls };
  };
}

/** The user's newest words, and where the model has answered them. */
function presentTurn({ messages }: Asked): { readonly said: string; readonly answers: readonly number[] } {
  const begun = messages.findLastIndex(({ role, text }) => role === 'user' && !text.startsWith(toldAgain));
  const answers = messages.flatMap(({ role }, index) => (index > begun && role === 'assistant' ? [index] : []));
  return { said: messages[begun]?.text ?? '', answers };
}

function lookedAt({ system }: Asked, said: string): readonly ScriptedCall[] {
  if (said === readTheFile) {
    const files = [...system.matchAll(/"artifactId":"([0-9a-f-]{36})"/g)];
    return files.map(([, artifactId = '']) => ({ tool: 'artifact_read', input: { artifactId } }));
  }
  const notes = [...said.matchAll(/Please look up note (\d+)\./g)];
  return notes.map(([, note = '']) => ({ tool: 'docs_lookup', input: { note } }));
}
