import { randomUUID } from 'node:crypto';
import type { Answer, TestClient } from '../client';

/** An automation, as the API answers it. */
export interface AutomationBody extends Record<string, unknown> {
  readonly id: string;
  readonly revision: string;
  readonly state: string;
  readonly definitionVersion: number;
  readonly definition: Record<string, unknown>;
}

/** Returns a rule that only signals, webhooks and invocations wake; each signal fires it, because it has no condition. */
export function rule(change: object = {}): object {
  return {
    name: 'Tell the time',
    prompt: 'repeat after me: done',
    conversation: 'new',
    condition: null,
    wake: { kind: 'event', types: ['order.placed'] },
    firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
    ...change,
  };
}

/** Returns a rule that is evaluated every hour. */
export function hourly(change: object = {}): object {
  return rule({ wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 3600 } }, ...change });
}

/** Defines an automation. Throws unless it is accepted. */
export async function defined(user: TestClient, change: object = {}): Promise<AutomationBody> {
  const { status, body } = await user.post<AutomationBody>('/automations', rule(change));
  if (status !== 201) throw new Error(`not defined: ${JSON.stringify(body)}`);
  return body;
}

export async function read(user: TestClient, id: string): Promise<AutomationBody> {
  const { status, body } = await user.get<AutomationBody>(`/automations/${id}`);
  if (status !== 200) throw new Error(`not read: ${JSON.stringify(body)}`);
  return body;
}

/** Pauses, resumes and so on, with the given revision, or the current one. */
export async function act(
  user: TestClient,
  id: string,
  action: 'pause' | 'resume' | 'rotate-webhook-secret',
  revision?: string,
): Promise<Answer<AutomationBody>> {
  const known = revision ?? (await read(user, id)).revision;
  return user.post(`/automations/${id}/${action}`, { revision: known });
}

export async function update(
  user: TestClient,
  { id, revision }: Pick<AutomationBody, 'id' | 'revision'>,
  definition: object,
): Promise<Answer<AutomationBody>> {
  return user.request('PUT', `/automations/${id}`, { revision, definition });
}

/** Signals or invokes, with the current revision unless `change` has another. */
export async function giveInput(
  user: TestClient,
  id: string,
  what: 'signal' | 'invoke',
  change: object = {},
): Promise<Answer> {
  const { revision } = await read(user, id);
  return user.post(`/automations/${id}/${what}`, { revision, idempotencyKey: randomUUID(), ...change });
}
