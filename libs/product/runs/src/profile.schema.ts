import { limits } from '@app/kernel';
import { custom, inBrief, integer, list, object, optional, shape, text, withoutOthers, type Shaped } from '@app/schema';
import { isOutputSchema, OutputSchema } from './output-schema';

/** What a run is asked to be done with, as `runs.start` and the definition of an automation take it. */
export const Profile = withoutOthers(
  shape(
    'Profile',
    {
      model: optional(
        text({ min: 1, max: 256, description: "One of the deployment's models; its default when absent" }),
      ),
      instructions: optional(
        text({
          min: 0,
          max: limits.instructionsLengthMax,
          description: 'What the model is told beside the conversation; it grants no permission',
        }),
      ),
      tools: optional(
        list(text({ message: 'must be the name of a tool' }), {
          min: 0,
          max: limits.profileToolsMax,
          description: 'Names of the tools that the run may call; every tool of the deployment when absent',
        }),
      ),
      maxSteps: optional(
        integer({
          min: 1,
          max: limits.maxStepsMax,
          description: `Model steps, over all segments; ${limits.maxStepsDefault} when absent`,
        }),
      ),
      outputSchema: optional(
        inBrief(
          custom(OutputSchema, isOutputSchema, 'must be a JSON Schema of the supported keywords, at most 16 KiB'),
          object({}, { brief: 'JSON Schema of the answer' }),
        ),
      ),
    },
    { brief: 'Absent: what the deployment offers' },
  ),
);
export type Profile = Shaped<typeof Profile>;
