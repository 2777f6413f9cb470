import type { Issue } from '../problems.js';
import type { Message, ResumeEntry } from './protocol.js';
import type { Thread } from './thread.js';

const messagesMax = 10_000;
const resumeMax = 200;
const idLengthMax = 256;
const uuidForm = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The parts of a `RunAgentInput` that Parley uses. */
export interface AgUiInput {
  /** The id of the conversation. */
  readonly threadId: string;
  /** Id of this exchange; one run of Parley can take several exchanges. */
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly state: Readonly<Record<string, unknown>>;
  /** From `state.parley`; null: the client has nothing of the conversation yet. */
  readonly known: Pick<Thread, 'cursor' | 'operations'> | null;
  readonly resume: readonly ResumeEntry[];
}

/** Reads the body of a request, or returns its mistakes. The caller has bounded its bytes. */
export function readAgUiInput(body: unknown): AgUiInput | { readonly issues: readonly Issue[] } {
  const { threadId, runId, messages, state, resume } = membersOf(body);
  const issues: Issue[] = [];
  if (typeof threadId !== 'string' || !uuidForm.test(threadId)) {
    issues.push({ path: '/threadId', message: 'must be the id of a conversation' });
  }
  if (!isId(runId)) issues.push({ path: '/runId', message: `must be a text of 1 to ${idLengthMax} characters` });
  const said = listOf(messages, messagesMax, isMessage);
  if (said === null) issues.push({ path: '/messages', message: `must be at most ${messagesMax} messages` });
  const answers = resume === undefined ? [] : listOf(resume, resumeMax, isResumeEntry);
  if (answers === null) issues.push({ path: '/resume', message: `must be at most ${resumeMax} answers` });
  if (issues.length > 0 || said === null || answers === null) return { issues };
  const own = membersOf(state);
  // Reason for the assertions: both were checked above.
  const [thread, run] = [threadId as string, runId as string];
  return { threadId: thread, runId: run, messages: said, state: own, known: knownOf(own['parley']), resume: answers };
}

/** Returns the message that this request is to send: the last one, if it is the user's, else null. */
export function newestOf({ messages }: AgUiInput): Extract<Message, { role: 'user' }> | null {
  const last = messages.at(-1);
  return last?.role === 'user' ? last : null;
}

/** Returns the text of a message; null if it has a part that is not text. */
export function textOf({ content }: Extract<Message, { role: 'user' }>): string | null {
  if (typeof content === 'string') return content;
  const texts = content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
  return texts.length === content.length ? texts.join('\n') : null;
}

/** Reads what the client says of itself. It is trusted only for the client's own display. */
function knownOf(parley: unknown): AgUiInput['known'] {
  const { cursor, operations } = membersOf(parley);
  if (typeof cursor !== 'number' || !Number.isSafeInteger(cursor) || cursor < 1) return null;
  const known = Object.entries(membersOf(operations)).filter(
    ([, operation]) => typeof membersOf(operation)['status'] === 'string',
  );
  // Reason for the assertion: this package made them, and they are returned only to the client that sent them.
  return { cursor, operations: Object.fromEntries(known) as Thread['operations'] };
}

function isMessage(value: unknown): value is Message {
  const { id, role, content, toolCalls } = membersOf(value);
  if (!isId(id) || typeof role !== 'string') return false;
  if (role === 'user') return typeof content === 'string' || listOf(content, messagesMax, isPart) !== null;
  return toolCalls === undefined || listOf(toolCalls, messagesMax, isToolCall) !== null;
}

function isPart(value: unknown): value is object {
  const { type, text } = membersOf(value);
  return typeof type === 'string' && (type !== 'text' || typeof text === 'string');
}

function isToolCall(value: unknown): value is object {
  const { id, function: called } = membersOf(value);
  return isId(id) && typeof membersOf(called)['arguments'] === 'string';
}

function isResumeEntry(value: unknown): value is ResumeEntry {
  const { interruptId, status } = membersOf(value);
  return isId(interruptId) && (status === 'resolved' || status === 'cancelled');
}

const isId = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= idLengthMax;

/** Returns null if the value is not a list, is too long, or has an item of another kind. */
function listOf<Item>(value: unknown, lengthMax: number, is: (item: unknown) => item is Item): Item[] | null {
  return Array.isArray(value) && value.length <= lengthMax && value.every(is) ? value : null;
}

/** Returns the members of an object; none for any other value. */
function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  // Reason for the assertion: an object's members can be read as unknown.
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}
