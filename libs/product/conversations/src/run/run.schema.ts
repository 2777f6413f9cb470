import { limits, type JsonValue } from '@app/kernel';
import {
  boolean,
  byName,
  integer,
  list,
  nullable,
  number,
  oneOf,
  optional,
  shape,
  text,
  uuid,
  withName,
  type Shaped,
} from '@app/schema';

/** The parts of a run that both its resource and its events show. */

/** Tokens, and the cost in whole cents. */
export const Usage = shape('Usage', {
  inputTokens: integer({ min: 0, description: 'What the model read, over all steps' }),
  cachedInputTokens: integer({
    min: 0,
    description: "Those of the input that the provider's cache of prompts held; they have a price of their own",
  }),
  outputTokens: integer({ min: 0, description: 'What the model wrote, over all steps' }),
  costCents: integer({ min: 0, description: 'Whole cents; each segment of a run is rounded up once' }),
  estimated: boolean({ description: 'Whether some of it is an estimate, because the provider reported no usage' }),
});
export type Usage = Shaped<typeof Usage>;

/** The assistant's last word. */
export const RunResponse = shape('RunResponse', {
  text: text(),
  truncated: boolean({ description: "Whether the model's output limit cut it" }),
});
export type RunResponse = Shaped<typeof RunResponse>;

const runFailureReasons = [
  'engine_error',
  'provider_error',
  'step_limit',
  'budget_exhausted',
  'output_invalid',
  'approval_expired',
  'account_disabled',
  'not_admitted',
] as const;
export type RunFailureReason = (typeof runFailureReasons)[number];

export const RunFailure = shape('RunFailure', {
  reason: oneOf(runFailureReasons, { description: 'A closed set, to compare with' }),
  text: text({ description: 'For people; compare `reason`' }),
});
export type RunFailure = Shaped<typeof RunFailure>;

export const Effort = withName(
  'Effort',
  oneOf(['minimal', 'low', 'medium', 'high'], {
    description: 'How much a model is to think before it answers, where its provider has such a setting',
  }),
);
export type Effort = Shaped<typeof Effort>;
export const temperatureBounds = { min: 0, max: 2 } as const;

const steps = { min: 1, max: limits.maxStepsMax, description: 'Model steps, over all segments' };

/** A profile as requested; absent members were left to the deployment. */
const RunProfileShape = shape(
  'RunProfile',
  {
    agent: optional(text({ min: 1, max: limits.agentNameLengthMax })),
    model: optional(text({ min: 1, max: 256 })),
    instructions: optional(text({ max: limits.instructionsLengthMax })),
    tools: optional(list(text(), { max: limits.profileToolsMax })),
    maxSteps: optional(integer(steps)),
    outputSchema: optional(byName<JsonValue>('OutputSchema')),
    temperature: optional(number(temperatureBounds)),
    effort: optional(Effort),
    reasoning: optional(boolean()),
  },
  { description: 'The profile as it was sent; `resolved` of the run says what the deployment filled in' },
);

/** The words of the user, exactly as they were sent. */
export const RunRequestInput = shape('RunRequestInput', {
  text: text({ min: 1, max: limits.inputTextLengthMax }),
  artifactIds: optional(list(uuid(), { max: limits.artifactIdsMax })),
  replaces: optional(uuid({ description: 'The message of the user that it replaced, with everything after it' })),
});
export type RunRequestInput = Shaped<typeof RunRequestInput>;

/** The request exactly as it was sent, as `runs.get` returns it. */
export const RunRequest = shape(
  'RunRequest',
  {
    input: RunRequestInput,
    profile: optional(RunProfileShape),
  },
  { description: 'The request exactly as it was sent; a retry does not change it' },
);
export type RunRequest = Shaped<typeof RunRequest>;

/** In place of a request whose words were erased: its conversation takes no writes any more, so nothing depends on it. */
export const erasedRequest: RunRequest = { input: { text: '' } };

/** The resolution of the request at admission; later changes of defaults do not affect the run. */
export const Resolved = shape(
  'ResolvedRun',
  {
    model: text(),
    tools: list(text(), { description: 'Names of the tools that the run may call' }),
    maxSteps: integer(steps),
    agent: nullable(
      shape('ResolvedAgent', {
        name: text(),
        version: text({
          description: 'The newest of its name when the run was admitted, unless the profile named one',
        }),
      }),
      { description: 'The named agent that it runs as; null without one' },
    ),
    temperature: nullable(number(temperatureBounds), { description: "Null: the model's own" }),
    effort: nullable(Effort, { description: "Null: the model's own" }),
    reasoning: boolean({ description: 'Whether the journal shows what the model thinks, where it shows that' }),
  },
  { description: 'The settings that the run was admitted with; later defaults do not change them' },
);
export type ResolvedRun = Shaped<typeof Resolved>;

/** The resolution in addition to model, tools and steps, if neither the profile nor an agent says anything. */
export const untuned = { agent: null, temperature: null, effort: null, reasoning: true } as const;

/** Everything that the execution of a run depends on. */
export interface RunProfile extends ResolvedRun {
  readonly instructions: string | null;
  readonly outputSchema: JsonValue;
}

/** @param standing the instructions of the agent that the run was resolved to, which precede its own; null without any */
export function profileOf(request: RunRequest, resolved: ResolvedRun, standing: string | null): RunProfile {
  const { instructions: own = null, outputSchema = null } = request.profile ?? {};
  const told = [standing, own].filter((part): part is string => part !== null);
  return { ...resolved, instructions: told.length === 0 ? null : told.join('\n\n'), outputSchema };
}
