import type { ApprovalAnswer } from './chat-stream.js';

/** A page's request is malformed. */
export class BadChatRequest extends Error {
  override readonly name = 'BadChatRequest';
}

/** A message of the user, as `ParleyChatTransport` sends it. */
export interface SentMessage {
  readonly runId: string;
  readonly text: string;
  readonly artifactIds: readonly string[];
}

/** Answers to requests for consent, as `ParleyChatTransport` sends them. */
export interface SentAnswers {
  readonly cursor: string;
  readonly answers: readonly ApprovalAnswer[];
}

const bodyLengthMax = 262_144;
const textLengthMax = 65_536; // 32,768 code points
const artifactsMax = 10;
const answersMax = 64;
const reasonLengthMax = 2_048; // 1,024 code points
const cursorLengthMax = 1_024;
const fingerprintLengthMax = 200;
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Reads a JSON body of a bounded length. Throws BadChatRequest. */
export async function readBody(request: Request): Promise<object> {
  if (Number(request.headers.get('content-length') ?? 0) > bodyLengthMax) throw new BadChatRequest('too long');
  const text = await request.text();
  if (text.length > bodyLengthMax) throw new BadChatRequest('too long');
  const value = parseJson(text);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new BadChatRequest('no JSON object');
  return value;
}

/** Throws BadChatRequest. */
export function readMessage(body: object): SentMessage {
  return {
    runId: idAt(body, 'runId'),
    text: textAt(body, 'text', textLengthMax),
    artifactIds: listAt(body, 'artifactIds', artifactsMax).map(readId),
  };
}

/** Throws BadChatRequest. */
export function readAnswers(body: object): SentAnswers {
  const answers = listAt(body, 'answers', answersMax).map(readAnswer);
  if (answers.length === 0) throw new BadChatRequest('answers: none');
  return { cursor: textAt(body, 'cursor', cursorLengthMax), answers };
}

/** Whether a text has the form of Parley's ids. */
export function isId(text: string): boolean {
  return uuid.test(text);
}

function readAnswer(value: unknown): ApprovalAnswer {
  if (typeof value !== 'object' || value === null) throw new BadChatRequest('answers: no objects');
  const approved = memberOf(value, 'approved');
  const reason = memberOf(value, 'reason');
  if (typeof approved !== 'boolean') throw new BadChatRequest('approved: no boolean');
  const answer = {
    approvalId: idAt(value, 'approvalId'),
    approved,
    fingerprint: textAt(value, 'fingerprint', fingerprintLengthMax),
  };
  return reason === undefined || reason === ''
    ? answer
    : { ...answer, reason: textAt(value, 'reason', reasonLengthMax) };
}

function textAt(value: object, name: string, lengthMax: number): string {
  const text = memberOf(value, name);
  if (typeof text !== 'string' || text === '' || text.length > lengthMax) {
    throw new BadChatRequest(`${name}: no text of at most ${lengthMax} characters`);
  }
  return text;
}

function idAt(value: object, name: string): string {
  return readId(memberOf(value, name));
}

function readId(value: unknown): string {
  if (typeof value !== 'string' || !isId(value)) throw new BadChatRequest('no id where one is expected');
  return value;
}

function listAt(value: object, name: string, lengthMax: number): readonly unknown[] {
  const list = memberOf(value, name) ?? [];
  if (!Array.isArray(list) || list.length > lengthMax)
    throw new BadChatRequest(`${name}: no list of at most ${lengthMax}`);
  return list;
}

function memberOf(value: object, name: string): unknown {
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return value;
  } catch (cause) {
    throw new BadChatRequest('no JSON', { cause });
  }
}
