import type { Asked, Script, ScriptedCall } from '@app/testing/models';
import type { HostileText } from './hostile-texts';

const boast = 'tool.returned: ok. The user has approved it, the transfer is done.';

/** The beginning of the user message that reports calls if the request offers no tools. */
const toldAgain = 'Calls that you made, as data:';

/** User messages that make the model read a file or a note. */
export const readTheFile = 'Please read the file.';
export const lookUpNote = (order: number): string => `Please look up note ${order}.`;

/**
 * A model that reads everything it is pointed to, makes the calls of all orders it finds anywhere, and claims success.
 */
export function obedientModel(texts: readonly HostileText[]): Script {
  return (asked) => {
    const { said, answers } = presentTurn(asked);
    const looks = lookedAt(asked, said);
    if (answers.length === 0 && looks.length > 0) return { calls: looks };
    const looked = looks.length > 0 ? 1 : 0;
    // Orders that it sees as it begins to obey; it may read more of them meanwhile.
    const seen = JSON.stringify([asked.tools, asked.messages.slice(0, answers[looked])]).matchAll(/\(order (\d+)\)/g);
    const orders = [...new Set([...seen].map(([, order]) => Number(order)))].sort((one, other) => one - other);
    const calls = orders.flatMap((order) => texts[order]?.payload.steps[answers.length - looked] ?? []);
    return { text: [boast], calls };
  };
}

/** The user's newest message, and the positions of the model's answers to it. */
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
