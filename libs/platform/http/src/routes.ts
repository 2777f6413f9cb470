import type { Issue } from '@app/kernel';
import type { DtoClass } from '@app/schema';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { areaOf, type RoutePlan } from './operation';
import { ProblemException } from './problems';
import { contextOf } from './request-context';
import { emptyBody } from './streamed-body';
import { validateInto } from './validate-into';

/**
 * Plans every route that is registered from here on, and applies its body limit. Throws for a route without `@Operation`.
 * @param streamLimitBytes largest body of an operation that takes a stream, unless it has a limit of its own
 */
export function planRoutes(fastify: FastifyInstance, streamLimitBytes: number): void {
  fastify.addHook('onRoute', (route) => {
    const routePlan = planRoute(route);
    route.config = { ...route.config, routePlan };
    const limitBytes = routePlan.bodyLimitBytes ?? (routePlan.body === 'stream' ? streamLimitBytes : null);
    if (limitBytes !== null) route.bodyLimit = limitBytes;
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const issues = checkInput(request);
    if (issues.length === 0) done();
    else done(new ProblemException({ kind: 'invalid_input', issues }));
  });
}

function planRoute(route: RouteOptions): RoutePlan {
  const plan = route.config?.plan;
  if (plan === undefined) throw new Error(`${route.url} has no @Operation`);
  const area = areaOf(route.url);
  const idParameters = area === 'partner' ? [...route.url.matchAll(/:(\w+Id)\b/g)].map(([, name = '']) => name) : [];
  return { ...plan, pattern: route.url, area, idParameters };
}

/** Puts DTOs in the place of what was sent, or says all that is wrong with it. */
function checkInput(request: FastifyRequest): readonly Issue[] {
  const { plan } = contextOf(request);
  if (plan === null) return [];
  const issues: Issue[] = [];
  request.query = checkGiven(plan.queryDto, request.query, issues);
  request.body = checkGiven(plan.bodyDto, request.body, issues);
  if (plan.body === 'stream' && request.body === undefined) issues.push(emptyBody);
  return issues;
}

function checkGiven(dto: DtoClass | 'unchecked', given: unknown, issues: Issue[]): unknown {
  if (dto === 'unchecked') return given;
  const result = validateInto(dto, given);
  if (result.ok) return result.value;
  if (result.refusal.kind === 'invalid_input') issues.push(...result.refusal.issues);
  return given;
}
