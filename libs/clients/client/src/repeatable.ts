import { clientMadeIds } from './generated/operations.js';

/**
 * Writes that have the same effect and the same answer when sent twice as when sent once. `PUT` is not among them,
 * because the first one uses up the revision that it names.
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

/** Returns the options with an id in the body that makes a repetition known; a given id is kept. */
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
