import type { Issue } from '@app/kernel';
import type { DtoClass } from '@app/schema';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import { NoBody } from './operation/dto';
import type { Contract } from './operation/operation';
import { routedPath } from './operation/path-names';
import { ProblemException } from './problems/problems';
import { contextOf, type RoutePlan } from './request/request-context';
import { emptyBody } from './body/streamed-body';
import { validateInto } from './operation/validate-into';

/**
 * Plans every route that is registered from now on, and applies its body limit. Throws for a route that differs from its contract, and for
 * one whose body has no declared shape.
 * @param streamLimitBytes maximum body of an operation that takes a stream
 */
export function planRoutes(fastify: FastifyInstance, streamLimitBytes: number): void {
  fastify.addHook('onRoute', (route) => {
    const routePlan = planRoute(route, streamLimitBytes);
    route.config = { ...route.config, routePlan };
    if (routePlan.bodyLimitBytes !== null) route.bodyLimit = routePlan.bodyLimitBytes;
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const issues = checkInput(request);
    if (issues.length === 0) done();
    else done(new ProblemException({ kind: 'invalid_input', issues }));
  });
}

function planRoute(route: RouteOptions, streamLimitBytes: number): RoutePlan {
  const contract = route.config?.contract;
  const served = `${String(route.method)} ${route.url}`;
  if (contract === undefined) throw new Error(`${served} has no contract`);
  const { operation, method, path, area, scope = null } = contract;
  // Fastify adds the HEAD of every GET.
  const routed = routedPath(path);
  const isOwn = served === `${method} ${routed}` || (method === 'GET' && served === `HEAD ${routed}`);
  if (!isOwn) throw new Error(`${served} is not the route of ${operation}, ${method} ${path}`);
  const named = area === 'partner' || area === 'operator' ? [...path.matchAll(/:(\w+(?:Id|Key))\b/g)] : [];
  const idParameters = named.map(([, name = '']) => name);
  return {
    // Partners and operators can both have a `runs.list`.
    operation: area === 'operator' ? `operator.${operation}` : operation,
    pattern: path,
    area,
    scope,
    account: contract.account ?? 'required',
    weight: contract.weight ?? 1,
    begins: idParameters.every((name) => name === 'userId'),
    waits: mayWait(contract),
    takesLong: contract.takesLong === true,
    idParameters,
    ...(contract.open === true ? ignoredInput : planInput(contract, streamLimitBytes)),
  };
}

/** Whether it may wait for a provider, for a run that is to stop, or for a client that sends or reads. */
function mayWait({ waits, reasons, body }: Contract): boolean {
  const takesStream = typeof body === 'object' && 'stream' in body;
  return waits === true || takesStream || (reasons ?? []).includes('provider_unavailable');
}

type InputPlan = Pick<RoutePlan, 'body' | 'bodyLimitBytes' | 'bodyDto' | 'queryDto'>;

/** Open operations ignore query and body. */
const ignoredInput: InputPlan = { body: 'bytes', bodyLimitBytes: null, bodyDto: 'unchecked', queryDto: 'unchecked' };

function planInput({ operation, method, body, query }: Contract, streamLimitBytes: number): InputPlan {
  if (body === undefined) throw new Error(`${operation} is a ${method} whose body has no declared shape`);
  const json = { body: 'json', bodyLimitBytes: null, queryDto: query ?? NoBody } as const;
  if (body === 'none') return { ...json, bodyDto: NoBody };
  if (typeof body === 'function') return { ...json, bodyDto: body };
  if ('readByHandler' in body) return { ...json, bodyDto: 'unchecked' };
  if ('bytes' in body) return { ...json, body: 'bytes', bodyLimitBytes: body.limitBytes, bodyDto: 'unchecked' };
  return { ...json, body: 'stream', bodyLimitBytes: streamLimitBytes, bodyDto: 'unchecked' };
}

/** Replaces the given query and body by DTOs, and returns all their issues. */
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
