import type { JsonValue, Reason } from '@app/kernel';
import type { DtoClass, Schema } from '@app/schema';
import type { OperatorScope } from './operator-scopes';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * The area of a route, which determines its admission. `partner` routes, all of `/v1`, require both credentials; `operator` routes, all of
 * `/operator/v1` and others that name a scope, an operator's token with that scope; `feed` routes, all of `/feed/v1`, a partner key that
 * was minted for it; `open` routes nothing; `own` routes (hooks, sandbox, the log of all events) authenticate callers themselves.
 */
export type Area = 'partner' | 'operator' | 'feed' | 'open' | 'own';

/** The body of an operation, apart from `'none'`: nothing, or `{}`. */
export type Body =
  /** Strict JSON of this class; the handler receives the validated object. */
  | DtoClass
  /** Strict JSON of this shape, which the handler validates itself. */
  | { readonly readByHandler: DtoClass | Schema }
  /** A Buffer of any media type; the handler finds JSON of this shape in it. */
  | { readonly bytes: DtoClass | Schema; readonly limitBytes: number }
  /**
   * An `AsyncIterable<Buffer>` while it arrives, described in words, see `streamedBody`: it is not empty, and within the deployment's limit
   * for artifacts.
   */
  | { readonly stream: string };

/** An answer other than JSON. */
export interface RawAnswer {
  readonly mediaType: string;
  readonly description: string;
  /** Whether it is bytes rather than text. */
  readonly binary?: true;
}

/** A group of operations: those whose names begin with the group's. */
export interface OperationGroup {
  readonly name: string;
  /** One line, without a full stop. */
  readonly description: string;
}

export interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** All possible values, if there are few: any other is a 404. */
  readonly values?: readonly string[];
}

/** The terms of a contract, independent of its route. */
interface Terms {
  /** The status of a success; 200 when absent. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Requires no credentials; query and body are ignored. */
  readonly open?: true;
  /** Whether the caller must have an account already; only `users.ensure` does not require one. A disabled account is always refused. */
  readonly account?: 'required' | 'not required';
  /** The number of requests that it counts as in its user's rate; 1 when absent. */
  readonly weight?: number;
  /**
   * Its answer waits on purpose, so that many at once are no sign of an overload. Implied for operations that call a provider or take a
   * stream.
   */
  readonly waits?: true;
  /** Its answer may take longer than other answers, and ends it within a time of its own; its reader must go on reading as any other. */
  readonly takesLong?: true;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** The query; without one no parameter is accepted. */
  readonly query?: DtoClass;
  /** Request headers that it evaluates, with their meaning. */
  readonly headers?: Readonly<Record<string, Schema>>;
  /** The answer of a success: JSON of this schema, another media type, or nothing. */
  readonly answer: Schema | RawAnswer | null;
  /** Headers of its successes in addition to those of every answer. */
  readonly answerHeaders?: Readonly<Record<string, Schema>>;
  /** JSON answers of other statuses that are not problems. */
  readonly otherAnswers?: Readonly<Record<number, Schema>>;
  /** The condition, in words, under which it answers 307 and a `Location` instead. */
  readonly redirects?: string;
  /** Answers bytes that never change: it evaluates `If-None-Match`, `Range` and `If-Range`, see `askedBytes`. */
  readonly ranged?: true;
  /** Requests carry a signature instead of credentials; without a valid one the answer is a bare 401. */
  readonly signed?: true;
  /** The purpose of an operation that the specification does not require. Documents publish it as `x-beyond-specification`. */
  readonly beyondSpecification?: string;
  /** Reasons for which it can be refused, in addition to those of any operation. */
  readonly reasons?: readonly Reason[];
  /** A body that is accepted as it is, except for ids, which the tests of the surface send; and the answer to one. */
  readonly examples?: { readonly body?: JsonValue; readonly answer?: JsonValue };
}

/** A body must be declared wherever a method has one; a deletion by operators has a body that states the reason. */
type BodyTerms<Route extends string> = Route extends `GET ${string}`
  ? { readonly body?: 'none' }
  : Route extends `DELETE ${string}`
    ? { readonly body?: DtoClass | 'none' }
    : { readonly body: Body | 'none' };

type NamesIn<Route extends string> = Route extends `${string}:${infer Name}/${infer Rest}`
  ? Name | NamesIn<Rest>
  : Route extends `${string}:${infer Name}`
    ? Name
    : Route extends `${string}*${infer Name}`
      ? Name
      : never;

/** An operation for operators names the scope that it requires. */
type ScopeTerms<Route extends string> = Route extends `${string} /operator/v1/${string}`
  ? { readonly scope: OperatorScope }
  : Route extends `${string} /${'v1' | 'feed/v1'}/${string}`
    ? { readonly scope?: undefined }
    : { readonly scope?: OperatorScope };

/** Every name in the path except `:userId`, which is the same everywhere. */
type ParameterTerms<Route extends string> = [Exclude<NamesIn<Route>, 'userId'>] extends [never]
  ? { readonly parameters?: undefined }
  : { readonly parameters: Readonly<Record<Exclude<NamesIn<Route>, 'userId'>, PathParameter>> };

/** One operation: everything that routing, validation, the OpenAPI document and the tests' matrix need to know of it. */
export interface Contract extends Terms {
  /** Its name in the specification: `runs.start`. */
  readonly operation: string;
  readonly method: Method;
  /** With `:name` for a parameter, and `*name` for one that includes the remaining path with its slashes. */
  readonly path: string;
  readonly area: Area;
  /** The scope that an operator's token must include. */
  readonly scope?: OperatorScope | undefined;
  readonly status: 200 | 201 | 202 | 204;
  /** Undefined only if the types were bypassed; such a route does not start. */
  readonly body: Body | 'none' | undefined;
  readonly parameters: Readonly<Record<string, PathParameter>>;
}

/** A contract whose body, query and answer are known to the compiler, so that `@Serves` can check a method against them. */
export type TypedContract<Taken, Asked, Answer> = Contract & {
  readonly body: Taken;
  readonly query?: Asked;
  readonly answer: Answer;
};

interface AnyTerms extends Terms {
  readonly route: string;
  readonly body?: Body | 'none';
  readonly scope?: OperatorScope | undefined;
  readonly parameters?: Readonly<Record<string, PathParameter>>;
}

/**
 * Declares an operation, which a controller's method then serves with `@Serves`.
 * @param name as in the specification: `runs.start`
 * @example
 * const readOwnAccount = operation('users.me', { route: 'GET /v1/users/me', summary: "The token's account", answer: User });
 */
export function operation<
  const Route extends `${Method} /${string}`,
  Taken extends Body | 'none' = 'none',
  Asked extends DtoClass | undefined = undefined,
  Answer extends Schema | RawAnswer | null = null,
>(
  name: string,
  terms: Terms & {
    readonly route: Route;
    readonly body?: Taken;
    readonly query?: Asked;
    readonly answer: Answer;
  } & BodyTerms<Route> &
    ScopeTerms<Route> &
    ParameterTerms<Route>,
): TypedContract<Taken, Asked, Answer>;
export function operation(name: string, terms: AnyTerms): Contract {
  const { route, parameters, ...rest } = terms;
  // Reason for the assertion: the type of a route guarantees it.
  const [method, path] = route.split(' ') as [Method, string];
  return {
    status: 200,
    ...rest,
    operation: name,
    method,
    path,
    area: rest.open === true ? 'open' : areaOf(path, rest.scope),
    body: rest.body ?? (method === 'GET' || method === 'DELETE' ? 'none' : undefined),
    parameters: parameters ?? {},
  };
}

function areaOf(path: string, scope: OperatorScope | undefined): Area {
  if (path.startsWith('/v1/')) return 'partner';
  if (path.startsWith('/feed/v1/')) return 'feed';
  return path.startsWith('/operator/v1/') || scope !== undefined ? 'operator' : 'own';
}

export function isRawAnswer(answer: Schema | RawAnswer): answer is RawAnswer {
  return typeof Reflect.get(answer, 'mediaType') === 'string';
}
