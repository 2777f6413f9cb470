import { approvalUpcasters } from '@app/consent';
import type { JsonObject, JsonValue } from '@app/kernel';

/** Version 1 of `run.started` kept the profile with the defaults of the deployment filled in, and null for what it had none for. */
function requestApart(stored: JsonObject): JsonObject {
  const { input, profile } = membersOf(stored['request']);
  const filled = membersOf(profile);
  const asked = Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null));
  const { model = '', tools = [], maxSteps = 1 } = filled;
  return { ...stored, request: { input: input ?? null, profile: asked }, resolved: { model, tools, maxSteps } };
}

function membersOf(value: JsonValue | undefined): JsonObject {
  // Reason for the assertion: version 1 wrote objects here.
  return (value ?? {}) as JsonObject;
}

export const conversationUpcasters = { ...approvalUpcasters, 'run.started': [requestApart] };
