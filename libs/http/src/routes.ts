import { ProblemException } from './problems';
import { isPlainObject } from './dto';
import { pointerTo, type Issue } from '@app/kernel';
import type { FastifyInstance, FastifyRequest, RouteOptions } from 'fastify';
import type { OperationPlan } from './operation';

/** `partner` routes are admitted by both credentials, `open` ones by nothing; `own` ones (operator, hooks, sandbox) look after themselves. */
export type Area = 'partner' | 'open' | 'own';

/** What the hooks know of a route, worked out once when it is registered. */
export interface RoutePlan {
  readonly operation: string;
  /** The route's pattern. */
  readonly pattern: string;
  readonly area: Area;
  /** Path parameters that hold UUIDs; every `:…Id` of a partner route does. */
  readonly idParameters: readonly string[];
  readonly options: OperationPlan | null;
}

const openPaths: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/openapi.json', '/asyncapi.json', '/docs']);

/** Plans every route that is registered from here on, and applies its body limit. Throws for a `/v1` route without `@Operation`. */
export function planRoutes(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    const routePlan = planRoute(route);
    route.config = { ...route.config, routePlan };
    const limit = routePlan.options?.bodyLimitBytes;
    if (typeof limit === 'number') route.bodyLimit = limit;
  });
  fastify.addHook('preHandler', (request, _reply, done) => {
    const issues = unaskedFor(request);
    if (issues.length === 0) done();
    else done(new ProblemException({ kind: 'invalid_input', issues }));
  });
}

function planRoute(route: RouteOptions): RoutePlan {
  const options = route.config?.plan ?? null;
  const area = areaOf(route.url);
  if (area === 'partner' && options === null) throw new Error(`${route.url} has no @Operation`);
  const idParameters = area === 'partner' ? [...route.url.matchAll(/:(\w+Id)\b/g)].map(([, name = '']) => name) : [];
  return {
    operation: options?.operation ?? [route.method, route.url].flat().join(' '),
    pattern: route.url,
    area,
    idParameters,
    options,
  };
}

function areaOf(url: string): Area {
  if (openPaths.has(url)) return 'open';
  return url.startsWith('/v1/') ? 'partner' : 'own';
}

/** What a request carries although its operation takes none of it; DTO classes look after the others. */
function unaskedFor(request: FastifyRequest): readonly Issue[] {
  const options = request.parley?.plan?.options;
  if (options === null || options === undefined) return [];
  const query = options.takesQuery ? {} : request.query;
  const body = options.takesBody ? {} : request.body;
  return [...unknownMembers(query), ...unknownMembers(body)];
}

function unknownMembers(value: unknown): readonly Issue[] {
  if (!isPlainObject(value)) return [];
  return Object.keys(value).map((name) => ({
    path: pointerTo(name.slice(0, namedKeyLengthMax)),
    message: 'is not known',
  }));
}

/** A longer name is cut: it names nothing that the service knows. */
const namedKeyLengthMax = 256;
