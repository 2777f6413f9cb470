import { clientMadeIds } from './generated/operations.js';

/**
 * Writes that, done twice, leave what they leave done once, and say so with the same answer. `PUT` is none of them: its revision
 * is spent by the first.
 */
const repeatableWrites: ReadonlySet<string> = new Set([
  'POST /v1/users',
  'POST /v1/users/{userId}/wallet',
  'PATCH /v1/users/{userId}/conversations/{conversationId}',
  'POST /v1/users/{userId}/conversations/{conversationId}/archive',
  'POST /v1/users/{userId}/automations/{automationId}/pause',
  'POST /v1/users/{userId}/automations/{automationId}/test-condition',
  'POST /v1/users/{userId}/automations/{automationId}/simulate',
]);

const idMembers: ReadonlyMap<string, string> = new Map(Object.entries(clientMadeIds));

/** Whether a call may be sent again when its outcome is unknown. */
export function isRepeatable(method: string, path: string): boolean {
  const call = `${method} ${path}`;
  return method === 'GET' || method === 'DELETE' || idMembers.has(call) || repeatableWrites.has(call);
}

/** The options, with the id in the body by which the service knows a repetition of this call, unless one is given. */
export function withClientMadeId<Options extends { readonly body?: unknown }>(
  method: string,
  path: string,
  options: Options,
): Options {
  const member = idMembers.get(`${method} ${path}`);
  const { body } = options;
  if (member === undefined || typeof body !== 'object' || body === null || member in body) return options;
  return { ...options, body: { ...body, [member]: crypto.randomUUID() } };
}
