import type { RunRequest } from '@app/conversations';
import { isJsonObject } from '@app/kernel';

/**
 * The request of a run exactly as it was sent: input and profile of a body that has passed its DTO. A member that was sent as null is
 * absent (docs/decisions/conventions.md, "Bodies").
 */
export function requestIn(body: unknown): RunRequest {
  const sent: Readonly<Record<string, unknown>> = isJsonObject(body) ? body : {};
  const parts = (['input', 'profile'] as const).flatMap((name) => {
    const part = sent[name];
    return isJsonObject(part) ? [[name, withoutNulls(part)] as const] : [];
  });
  const request: object = Object.fromEntries(parts);
  // Reason for the assertion: the DTO has validated it.
  return request as RunRequest;
}

function withoutNulls(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null));
}
