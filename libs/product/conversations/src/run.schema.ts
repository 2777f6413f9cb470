import { limits, type JsonValue } from '@app/kernel';
import { byName, exactly, boolean, integer, list, oneOf, optional, shape, text, uuid } from '@app/schema';
import {
  runFailureReasons,
  type RunFailure as Failure,
  type AskedProfile,
  type ResolvedRun,
  type RunResponse as Response,
  type RunRequest as Request,
  type Usage as Used,
} from './conversation.events';

/** What of a run both its resource and its events show. */

export const Usage = exactly<Used>()(
  shape('Usage', {
    inputTokens: integer({ min: 0 }),
    outputTokens: integer({ min: 0 }),
    costCents: integer({ min: 0, description: 'Whole cents; each segment of a run is rounded up once' }),
    estimated: boolean({ description: 'Whether some of it is an estimate, because the provider told no usage' }),
  }),
);
export type Usage = Used;

export const RunResponse = exactly<Response>()(
  shape('RunResponse', {
    text: text(),
    truncated: boolean({ description: "Whether the model's output limit cut it" }),
  }),
);
export type RunResponse = Response;

export const RunFailure = exactly<Failure>()(
  shape('RunFailure', {
    reason: oneOf(runFailureReasons),
    text: text({ description: 'For people; compare `reason`' }),
  }),
);
export type RunFailure = Failure;

const steps = { min: 1, max: limits.maxStepsMax, description: 'Model steps, over all segments' };

const RunProfile = exactly<AskedProfile>()(
  shape(
    'RunProfile',
    {
      model: optional(text({ min: 1, max: 256 })),
      instructions: optional(text({ max: limits.instructionsLengthMax })),
      tools: optional(list(text(), { max: limits.profileToolsMax })),
      maxSteps: optional(integer(steps)),
      outputSchema: optional(byName<JsonValue>('OutputSchema')),
    },
    { description: 'The profile as it was sent; `resolved` of the run says what the deployment filled in' },
  ),
);

export const RunRequest = exactly<Request>()(
  shape(
    'RunRequest',
    {
      input: shape('RunRequestInput', {
        text: text({ min: 1, max: limits.inputTextLengthMax }),
        artifactIds: optional(list(uuid(), { max: limits.artifactIdsMax })),
      }),
      profile: optional(RunProfile),
    },
    { description: 'What was sent, to the letter; a retry does not amend it' },
  ),
);
export type RunRequest = Request;

export const Resolved = exactly<ResolvedRun>()(
  shape(
    'ResolvedRun',
    {
      model: text(),
      tools: list(text(), { description: 'Names of the tools that the run may call' }),
      maxSteps: integer(steps),
    },
    { description: 'What the request came to when the run was admitted; later defaults do not change it' },
  ),
);
