import type { ResolvedRun } from '@app/conversations';
import type { Cause } from '@app/kernel';
import type { ExecutableSegment } from '@app/runs';
import type { SpanAttributes } from '@app/runtime';
import { genAi, operations } from '../models/conventions/names.adapter';
import type { ServedModel } from '../models/conventions/served-model';
import { segmentAttributes, type NamedStart } from '../run/traced-run';

/** The span of a run's segment, as it begins. @param served null if the deployment no longer offers the run's model */
export function agentSpan(
  segment: ExecutableSegment,
  cause: Cause,
  { agent, model }: ResolvedRun,
  served: ServedModel | null,
): NamedStart {
  const attributes: SpanAttributes = {
    [genAi.operation]: operations.agent,
    ...(served === null ? {} : { [genAi.provider]: served.provider }),
    [genAi.requestModel]: served?.model ?? model,
    ...(agent === null ? {} : { [genAi.agentName]: agent.name, [genAi.agentVersion]: agent.version }),
    ...segmentAttributes(segment),
  };
  const name = agent === null ? operations.agent : `${operations.agent} ${agent.name}`;
  return { name, start: { cause: cause.correlationId, attributes } };
}
