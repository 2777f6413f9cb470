import { Rule } from '@app/runtime';
import { limits } from '@app/kernel';
import { makeValidator } from 'envalid';
import { fittingJson } from '../fitting-json';

/** A version of a named agent: settings that a profile which names it may omit. */
export interface AgentSettings {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | null;
  readonly model?: string;
  readonly tools?: readonly string[];
  readonly maxSteps?: number;
  readonly temperature?: number;
  readonly effort?: 'minimal' | 'low' | 'medium' | 'high';
  readonly reasoning?: boolean;
}

type GivenVersion = Omit<AgentSettings, 'name' | 'instructions'> & { readonly instructions?: string };

const versionsMax = 16;
const version = {
  type: 'object',
  properties: {
    version: { type: 'string', pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,31}$' },
    // Stored in journals, which accept neither U+0000 nor half a surrogate pair.
    instructions: {
      type: 'string',
      minLength: 1,
      maxLength: limits.instructionsLengthMax,
      pattern: '^[^\\u0000\\p{Surrogate}]*$',
    },
    model: { type: 'string', minLength: 1, maxLength: 256 },
    tools: { type: 'array', maxItems: limits.profileToolsMax, items: { type: 'string', minLength: 1, maxLength: 256 } },
    maxSteps: { type: 'integer', minimum: 1, maximum: limits.maxStepsMax },
    temperature: { type: 'number', minimum: 0, maximum: 2 },
    effort: { enum: ['minimal', 'low', 'medium', 'high'] },
    reasoning: { type: 'boolean' },
  },
  required: ['version'],
  additionalProperties: false,
};
const agentsSchema = {
  type: 'object',
  maxProperties: 64,
  propertyNames: { pattern: '^[a-z0-9][a-z0-9_-]{0,63}$' },
  additionalProperties: {
    if: { type: 'array' },
    then: { minItems: 1, maxItems: versionsMax, items: version },
    else: version,
  },
};

const agents = makeValidator<readonly AgentSettings[]>((json) => {
  const given = fittingJson<Record<string, GivenVersion | readonly GivenVersion[]>>(
    json,
    agentsSchema,
    'must be a JSON object of agents by name',
  );
  const all = Object.entries(given).flatMap(([name, told]) =>
    [told].flat().map((one) => ({ ...one, name, instructions: one.instructions ?? null })),
  );
  if (new Set(all.map(({ name, version: of }) => `${name}@${of}`)).size < all.length)
    throw new Rule('must name each version of an agent once');
  return all;
});

/** The environment variables of named agents. */
export const agentVariables = {
  AGENTS: agents({
    default: [],
    desc: 'Named agents that a profile may name, in JSON: {"name": {"version": "1", "instructions": "…", "model": "…", "tools": ["…"], "maxSteps": 8, "temperature": 0.3, "effort": "low", "reasoning": false}}, all but the version optional; or a list of such versions, the newest last',
  }),
};

/** The part of an environment that agents must match; values that broke their own rules are absent. */
interface Offered {
  readonly MODEL_NAME?: string | undefined;
  readonly MODEL_ALLOWED?: readonly string[] | undefined;
  readonly AGENTS?: readonly AgentSettings[];
}

/** Returns the conflicts between the agents and the models, as `NAME: rule`. */
export function agentProblems({
  MODEL_NAME: main,
  MODEL_ALLOWED: allowed = [],
  AGENTS: given = [],
}: Offered): readonly string[] {
  const offered = ['parley/rules', ...(main === undefined ? [] : [main]), ...allowed];
  const strangers = given.filter(({ model }) => model !== undefined && !offered.includes(model));
  return strangers.map(({ name, version: of }) => `AGENTS: ${name}@${of} must have a model that is offered`);
}
