import { byName, exactly, integer, list, members, nullable, oneOf, shape, text, uuid } from '@app/http';
import { limits, type JsonValue } from '@app/kernel';
import {
  runFailureReasons,
  type RunFailure as Failure,
  type RunProfile as Profile,
  type RunRequest as Request,
  type Usage as Used,
} from './conversation.events';

/** What of a run both its resource and its events show. */

export const Usage = exactly<Used>()(
  shape('Usage', {
    inputTokens: integer({ min: 0 }),
    outputTokens: integer({ min: 0 }),
    costCents: integer({ min: 0, description: 'Whole cents; each segment of a run is rounded up once' }),
  }),
);
export type Usage = Used;

export const RunFailure = exactly<Failure>()(
  shape('RunFailure', {
    reason: oneOf(runFailureReasons),
    text: text({ description: 'For people; compare `reason`' }),
  }),
);
export type RunFailure = Failure;

const RunProfile = exactly<Profile>()(
  shape(
    'RunProfile',
    {
      model: text(),
      instructions: nullable(text({ max: limits.instructionsLengthMax })),
      tools: list(text(), { description: 'Names of the tools that the run may call' }),
      maxSteps: integer({ min: 1, max: limits.maxStepsMax, description: 'Model steps, over all segments' }),
      outputSchema: nullable(byName<JsonValue>('OutputSchema'), {
        description: 'What `output` satisfies; null where none was asked for',
      }),
    },
    { description: 'The profile that was asked for, with the defaults of the deployment filled in' },
  ),
);

export const RunRequest = exactly<Request>()(
  shape(
    'RunRequest',
    {
      input: members({
        text: text({ min: 1, max: limits.inputTextLengthMax }),
        artifactIds: list(uuid(), { max: limits.artifactIdsMax }),
      }),
      profile: RunProfile,
    },
    { description: 'What was admitted; a retry does not amend it' },
  ),
);
export type RunRequest = Request;
