import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { JsonValue, Reason } from '@app/kernel';
import type { DtoClass, Schema } from '@app/schema';
import { NoBody } from './dto';

/** What the reference says of an operation that its route, DTOs and the reasons that any operation can have do not tell. */
export interface OperationReference {
  /** One line, without a full stop. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** What a success answers: JSON of this schema, something else, or nothing. */
  readonly answer: Schema | RawAnswer | null;
  /** Why it can be refused, besides what any operation can be refused for. */
  readonly reasons?: readonly Reason[];
  /** The body, where the handler checks it itself. */
  readonly takes?: DtoClass | Schema | RawBody;
  /** Request headers that it knows, with what they mean. */
  readonly headers?: Readonly<Record<string, Schema>>;
  /** A body that is accepted as it stands, but for ids; the tests of the surface send it. */
  readonly requestExample?: JsonValue;
  readonly answerExample?: JsonValue;
  /** Headers of its successes besides those of every answer. */
  readonly answerHeaders?: Readonly<Record<string, Schema>>;
  /** JSON that it answers with other statuses than a success's, where that is no problem. */
  readonly otherAnswers?: Readonly<Record<number, Schema>>;
  /** When it answers 307 and a `Location` instead, in words. */
  readonly redirects?: string;
  /** Answers bytes that never change: it knows `If-None-Match`, `Range` and `If-Range`, see `askedBytes`. */
  readonly ranged?: true;
  /** Signed requests carry a signature in the place of credentials; without a good one the answer is a bare 401. */
  readonly signed?: true;
}

/** An answer that is no JSON. */
export interface RawAnswer {
  readonly mediaType: string;
  readonly description: string;
  /** Bytes, not text. */
  readonly binary?: true;
}

/** A body that is no JSON. */
export interface RawBody {
  readonly bytes: string;
}

export interface OperationOptions extends OperationReference {
  /** Whether the caller must have an account already; `users.ensure` alone does not ask for one. A disabled one is refused always. */
  readonly account?: 'required' | 'not required';
  /**
   * `json` (the default) is parsed strictly; `bytes` hands the body over as a Buffer, whatever its media type; `stream` as an
   * `AsyncIterable<Buffer>` while it arrives, see `streamedBody`: it is not empty, and within the deployment's limit for artifacts.
   */
  readonly body?: 'json' | 'bytes' | 'stream';
  /** As how many requests it counts in its user's rate; 1 when absent. */
  readonly weight?: number;
  /** Largest body in bytes; the deployment's limit for JSON bodies when absent. */
  readonly bodyLimitBytes?: number;
}

/** What the hooks know of an operation; kept in Fastify's route configuration. */
export interface OperationPlan {
  readonly account: 'required' | 'not required';
  readonly body: 'json' | 'bytes' | 'stream';
  /** Names the operation in logs and metrics, as in the specification: `runs.start`. */
  readonly operation: string;
  readonly bodyLimitBytes: number | null;
  readonly weight: number;
  /** What body and query are checked against; `unchecked` when the handler's parameter is of no DTO class. */
  readonly bodyDto: DtoClass | 'unchecked';
  readonly queryDto: DtoClass | 'unchecked';
  readonly reference: OperationReference;
}

/** `partner` routes are admitted by both credentials, `open` ones by nothing; `own` ones (operator, hooks, sandbox) look after themselves. */
export type Area = 'partner' | 'open' | 'own';

const openPaths: ReadonlySet<string> = new Set([
  '/healthz',
  '/readyz',
  '/openapi.json',
  '/openapi-3.0.json',
  '/asyncapi.json',
  '/docs',
]);

/** The area that a route of this pattern belongs to; what `/docs` is made of is as open as the page. */
export function areaOf(pattern: string): Area {
  if (openPaths.has(pattern) || pattern.startsWith('/docs/')) return 'open';
  return pattern.startsWith('/v1/') ? 'partner' : 'own';
}

/** What the hooks know of a route, worked out once when it is registered. */
export interface RoutePlan extends OperationPlan {
  /** The route's pattern. */
  readonly pattern: string;
  readonly area: Area;
  /** Path parameters that hold UUIDs; every `:…Id` of a partner route does. */
  readonly idParameters: readonly string[];
}

/**
 * Names the operation that a controller's method serves, and how its requests are admitted. Every route needs one.
 *
 * Body and query are checked before the handler runs, against the classes of its `@Body()` and `@Query()` parameters. Without
 * `@Body()` only an absent body or `{}` passes, without `@Query()` no parameter does; a `@Body()` of type `unknown` is the
 * handler's own to check, with `validateInto`.
 */
export function Operation(operation: string, options: OperationOptions): MethodDecorator {
  return (target, property, descriptor) => {
    const plan: OperationPlan = {
      operation,
      account: options.account ?? 'required',
      body: options.body ?? 'json',
      bodyLimitBytes: options.bodyLimitBytes ?? null,
      weight: options.weight ?? 1,
      bodyDto:
        options.body === 'bytes' || options.body === 'stream' ? 'unchecked' : dtoOf(target, property, bodyParameter),
      queryDto: dtoOf(target, property, queryParameter),
      reference: options,
    };
    applyDecorators(RouteConfig({ plan }))(target, property, descriptor);
  };
}

// Nest keeps a method's decorated parameters under this key, each named `<kind>:<index>`; 3 and 4 are @Body and @Query.
const routeArguments = '__routeArguments__';
const bodyParameter = '3:';
const queryParameter = '4:';

// What TypeScript emits as the type of a parameter that is of no class.
const noClasses = new Set<unknown>([undefined, Object, String, Number, Boolean, Array, Function]);

function dtoOf(target: object, property: string | symbol, kind: string): DtoClass | 'unchecked' {
  // Reason for the assertion: Nest keeps an object under this key.
  const decorated = Object.keys((Reflect.getMetadata(routeArguments, target.constructor, property) ?? {}) as object);
  const parameter = decorated.find((name) => name.startsWith(kind));
  if (parameter === undefined) return NoBody;
  // Reason for the assertion: TypeScript emits the constructors of the parameters' types.
  const types = (Reflect.getMetadata('design:paramtypes', target, property) ?? []) as (DtoClass | undefined)[];
  const type = types[Number(parameter.slice(kind.length))];
  return type === undefined || noClasses.has(type) ? 'unchecked' : type;
}
