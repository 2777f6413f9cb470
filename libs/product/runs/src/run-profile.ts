import type { ResolvedRun } from '@app/conversations';
import { because, invalid, limits, ok, refuse, type Result } from '@app/kernel';
import type { Profile } from './profile.schema';

/** An agent of the deployment: the defaults of a profile that names it. */
export interface NamedAgent extends Pick<
  Profile,
  'model' | 'tools' | 'maxSteps' | 'temperature' | 'effort' | 'reasoning'
> {
  readonly name: string;
  readonly version: string;
  readonly instructions: string | null;
}

/** The models, tools and agents that the deployment's engine offers; the engine binds it. */
export abstract class EngineCatalog {
  abstract readonly models: readonly string[];
  abstract readonly defaultModel: string;
  abstract readonly tools: readonly string[];
  /** The newest version of a name is the last. */
  abstract readonly agents: readonly NamedAgent[];
}

/** The part of a run that stays fixed, whatever the deployment offers later. */
export interface Resolution {
  readonly resolved: ResolvedRun;
  /** The agent's instructions, which precede the profile's own; null without any. */
  readonly agentInstructions: string | null;
}

/**
 * Resolves a profile in the deployment: absent members are taken from its agent, and otherwise from the defaults. An unknown agent is 400
 * at `/profile/agent`, an unknown tool `profile_unknown_tool`, an unknown model 400 at `/profile/model`.
 */
export function resolveProfile(asked: Profile | undefined, offer: EngineCatalog): Result<Resolution> {
  const agent = asked?.agent === undefined ? null : agentOf(asked.agent, offer.agents);
  if (agent === undefined) return refuse(invalid('/profile/agent', 'is not an agent that the deployment offers'));
  const chosen = { ...agent, ...asked };
  const { tools = offer.tools, model = offer.defaultModel, maxSteps = limits.maxStepsDefault } = chosen;
  if (tools.some((tool) => !offer.tools.includes(tool))) return refuse(because('profile_unknown_tool'));
  if (!offer.models.includes(model))
    return refuse(invalid('/profile/model', 'is not a model that the deployment offers'));
  const { temperature = null, effort = null, reasoning = true } = chosen;
  const resolved = {
    model,
    tools: [...new Set(tools)],
    maxSteps,
    agent: agent === null ? null : { name: agent.name, version: agent.version },
    temperature,
    effort,
    reasoning,
  };
  return ok({ resolved, agentInstructions: agent?.instructions ?? null });
}

/** Undefined if there is none. */
function agentOf(named: string, agents: readonly NamedAgent[]): NamedAgent | undefined {
  return agents.findLast(({ name, version }) => named === name || named === `${name}@${version}`);
}
