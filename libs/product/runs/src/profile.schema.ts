import { Effort, temperatureBounds } from '@app/conversations';
import { limits } from '@app/kernel';
import {
  boolean,
  custom,
  inBrief,
  integer,
  list,
  number,
  object,
  optional,
  shape,
  text,
  withoutOthers,
  type Shaped,
} from '@app/schema';
import { isOutputSchema, OutputSchema } from './output/output-schema';

/** How a run is to be executed, as `runs.start` and the definition of an automation accept it. */
export const Profile = withoutOthers(
  shape(
    'Profile',
    {
      agent: optional(
        text({
          min: 1,
          max: limits.agentNameLengthMax,
          description:
            "One of the deployment's named agents, as `name` (its newest version) or `name@version`; what is absent here is taken from it",
        }),
      ),
      model: optional(
        text({
          min: 1,
          max: 256,
          description: "One of the deployment's models; that of the agent, or the default, when absent",
        }),
      ),
      instructions: optional(
        text({
          min: 0,
          max: limits.instructionsLengthMax,
          description:
            "Instructions for the model in addition to the conversation, after the agent's own; they grant no permission",
        }),
      ),
      tools: optional(
        list(text({ message: 'must be the name of a tool' }), {
          min: 0,
          max: limits.profileToolsMax,
          description:
            "Names of the tools that the run may call; the agent's, or every tool of the deployment, when absent",
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
      temperature: optional(
        number({
          ...temperatureBounds,
          description: "Passed on where the model's provider takes one; the model's own when absent",
        }),
      ),
      effort: optional(Effort),
      reasoning: optional(
        boolean({
          description: 'False: what the model thinks is not shown, neither in the journal nor while it comes',
        }),
      ),
    },
    { brief: 'Absent: what the deployment offers' },
  ),
);
export type Profile = Shaped<typeof Profile>;
