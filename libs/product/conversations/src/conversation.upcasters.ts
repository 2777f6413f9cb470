import { approvalUpcasters } from '@app/consent';
import type { JsonObject, JsonValue } from '@app/kernel';
import { untuned } from './run.schema';

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

/** Version 1 knew no estimates: what it counted, a provider had told. */
function countedUsage(stored: JsonObject): JsonObject {
  return { ...stored, usage: { ...membersOf(stored['usage']), estimated: false } };
}

/** Version 1 did not see that the output limit had cut an answer. */
function wholeText(stored: JsonObject): JsonObject {
  return { ...stored, truncated: false };
}

function wholeResponse(stored: JsonObject): JsonObject {
  const { response } = stored;
  return { ...countedUsage(stored), response: response == null ? null : wholeText(membersOf(response)) };
}

/** Until then each segment was claimed by an event of its own. */
function withoutHolder(stored: JsonObject): JsonObject {
  return { ...stored, holder: null };
}

/** Until then how much of the input a cache had held was priced, and not kept. */
function uncountedCache(stored: JsonObject): JsonObject {
  return { ...stored, usage: { cachedInputTokens: 0, ...membersOf(stored['usage']) } };
}

/** Until then nothing but the run's model answered, and a step did not say so. */
function namelessStep(stored: JsonObject): JsonObject {
  return { ...uncountedCache(stored), model: null };
}

/** Until then a profile knew no agents, and nothing to turn but the model. */
function withoutAgent(stored: JsonObject): JsonObject {
  const resolved = { ...membersOf(stored['resolved']), ...untuned };
  return { ...stored, resolved, agentInstructions: null };
}

export const conversationUpcasters = {
  ...approvalUpcasters,
  'run.started': [requestApart, withoutHolder, withoutAgent],
  'run.resumed': [withoutHolder],
  'run.suspended': [countedUsage, uncountedCache],
  'run.ended': [wholeResponse, uncountedCache],
  'agent.step': [countedUsage, namelessStep],
  'agent.message': [wholeText],
};
