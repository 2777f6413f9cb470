import type { ResolvedRun } from '@app/conversations';
import { because, invalid, limits, ok, refuse, type Result } from '@app/kernel';
import type { Profile } from './profile.schema';

/** What the deployment's engine offers; the engine binds it. */
export abstract class EngineCatalog {
  abstract readonly models: readonly string[];
  abstract readonly defaultModel: string;
  abstract readonly tools: readonly string[];
}

/**
 * What the deployment makes of a profile, its defaults filled in, so that what was admitted stays what it was.
 * An unknown tool is `profile_unknown_tool`, an unknown model 400 at `/profile/model`.
 */
export function resolveProfile(asked: Profile | undefined, offer: EngineCatalog): Result<ResolvedRun> {
  const tools = asked?.tools ?? offer.tools;
  if (tools.some((tool) => !offer.tools.includes(tool))) return refuse(because('profile_unknown_tool'));
  const model = asked?.model ?? offer.defaultModel;
  if (!offer.models.includes(model))
    return refuse(invalid('/profile/model', 'is not a model that the deployment offers'));
  return ok({ model, tools: [...new Set(tools)], maxSteps: asked?.maxSteps ?? limits.maxStepsDefault });
}
