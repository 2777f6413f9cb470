import { approvalUpcasters } from '@app/consent';
import type { JsonObject, JsonValue } from '@app/kernel';
import { untuned } from './run/run.schema';

/** Version 1 of `run.started` stored the profile with the deployment's defaults filled in, and null where there was none. */
function requestApart(stored: JsonObject): JsonObject {
  const { input, profile } = membersOf(stored['request']);
  const filled = membersOf(profile);
  const asked = Object.fromEntries(Object.entries(filled).filter(([, value]) => value !== null));
  const { model = '', tools = [], maxSteps = 1 } = filled;
  return { ...stored, request: { input: input ?? null, profile: asked }, resolved: { model, tools, maxSteps } };
}

function membersOf(value: JsonValue | undefined): JsonObject {
  // Reason for the assertion: version 1 stored objects here.
  return (value ?? {}) as JsonObject;
}

/** Version 1 knew no estimates: its counts were the provider's. */
function countedUsage(stored: JsonObject): JsonObject {
  return { ...stored, usage: { ...membersOf(stored['usage']), estimated: false } };
}

/** Version 1 did not record that the output limit had cut an answer. */
function wholeText(stored: JsonObject): JsonObject {
  return { ...stored, truncated: false };
}

function wholeResponse(stored: JsonObject): JsonObject {
  const { response } = stored;
  return { ...countedUsage(stored), response: response == null ? null : wholeText(membersOf(response)) };
}

/** Earlier versions claimed each segment by an event of its own. */
function withoutHolder(stored: JsonObject): JsonObject {
  return { ...stored, holder: null };
}

/** Earlier versions priced the cached part of the input without recording it. */
function uncountedCache(stored: JsonObject): JsonObject {
  return { ...stored, usage: { cachedInputTokens: 0, ...membersOf(stored['usage']) } };
}

/** In earlier versions only the run's model could answer, so a step did not name it. */
function namelessStep(stored: JsonObject): JsonObject {
  return { ...uncountedCache(stored), model: null };
}

/** Profiles of earlier versions had no agents, and no settings except the model. */
function withoutAgent(stored: JsonObject): JsonObject {
  const resolved = { ...membersOf(stored['resolved']), ...untuned };
  return { ...stored, resolved, agentInstructions: null };
}

/** Earlier versions had no queue. */
function notQueued(stored: JsonObject): JsonObject {
  return { ...stored, queuedAt: null };
}

/** Nobody could say something to a live run. */
function unsteered(stored: JsonObject): JsonObject {
  return { ...stored, heard: 0 };
}

/** Earlier versions stored a file's bytes unsealed, under their own hash. */
function unsealedContent(stored: JsonObject): JsonObject {
  return { ...stored, content: null };
}

export const conversationUpcasters = {
  ...approvalUpcasters,
  'artifact.uploaded': [unsealedContent],
  'run.started': [requestApart, withoutHolder, withoutAgent, notQueued],
  'run.resumed': [withoutHolder],
  'run.suspended': [countedUsage, uncountedCache],
  'run.ended': [wholeResponse, uncountedCache],
  'agent.step': [countedUsage, namelessStep, unsteered],
  'agent.message': [wholeText],
};
