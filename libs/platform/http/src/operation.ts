import type { JsonValue, Reason } from '@app/kernel';
import type { DtoClass, Schema } from '@app/schema';
import type { OperatorScope } from './operator-scopes';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * `partner` routes, all of `/v1`, are admitted by both credentials; `operator` ones, all of `/operator/v1` and others that name a scope,
 * by an operator's token with that scope; `feed` ones, all of `/feed/v1`, by a partner key that was minted for it; `open` ones by nothing; `own` ones (hooks, sandbox, the log of all events) look after themselves.
 */
export type Area = 'partner' | 'operator' | 'feed' | 'open' | 'own';

/** What an operation takes as its body, apart from `'none'`: nothing, or `{}`. */
export type Body =
  /** Strict JSON of this class; the handler gets the checked object. */
  | DtoClass
  /** Strict JSON of this shape, which the handler checks itself. */
  | { readonly readByHandler: DtoClass | Schema }
  /** A Buffer of any media type; the handler finds JSON of this shape in it. */
  | { readonly bytes: DtoClass | Schema; readonly limitBytes: number }
  /**
   * An `AsyncIterable<Buffer>` while it arrives, described in words, see `streamedBody`: it is not empty, and within the deployment's
   * limit for artifacts.
   */
  | { readonly stream: string };

/** An answer other than JSON. */
export interface RawAnswer {
  readonly mediaType: string;
  readonly description: string;
  /** Bytes, not text. */
  readonly binary?: true;
}

/** Operations that belong together: those whose name begins with the group's. */
export interface OperationGroup {
  readonly name: string;
  /** One line, without a full stop. */
  readonly description: string;
}

export interface PathParameter {
  readonly description: string;
  readonly example: string;
  /** All that it can be, where these are few: any other is a 404. */
  readonly values?: readonly string[];
}

/** What every contract says, independently of its route. */
interface Terms {
  /** The status of a success; 200 when absent. */
  readonly status?: 200 | 201 | 202 | 204;
  /** Open to everybody: no credentials are asked for, and query and body are ignored. */
  readonly open?: true;
  /** Whether the caller must have an account already; `users.ensure` alone does not ask for one. A disabled one is refused always. */
  readonly account?: 'required' | 'not required';
  /** As how many requests it counts in its user's rate; 1 when absent. */
  readonly weight?: number;
  /** Its answer waits on purpose, so that many at once are no sign of an overload. One that asks a provider, or takes a stream, need not say so. */
  readonly waits?: true;
  /** One line, without a full stop. */
  readonly summary: string;
  /** Markdown. */
  readonly description?: string;
  /** The query; without one no parameter passes. */
  readonly query?: DtoClass;
  /** Request headers that it knows, with what they mean. */
  readonly headers?: Readonly<Record<string, Schema>>;
  /** What a success answers: JSON of this schema, something else, or nothing. */
  readonly answer: Schema | RawAnswer | null;
  /** Headers of its successes besides those of every answer. */
  readonly answerHeaders?: Readonly<Record<string, Schema>>;
  /** JSON answers of other statuses that are not problems. */
  readonly otherAnswers?: Readonly<Record<number, Schema>>;
  /** When it answers 307 and a `Location` instead, in words. */
  readonly redirects?: string;
  /** Answers bytes that never change: it knows `If-None-Match`, `Range` and `If-Range`, see `askedBytes`. */
  readonly ranged?: true;
  /** Signed requests carry a signature in the place of credentials; without a good one the answer is a bare 401. */
  readonly signed?: true;
  /** Of an operation that the specification does not demand: what it is there for. Documents say so as `x-beyond-specification`. */
  readonly beyondSpecification?: string;
  /** Why it can be refused, besides what any operation can be refused for. */
  readonly reasons?: readonly Reason[];
  /** A body that is accepted as it stands, but for ids, which the tests of the surface send; and the answer to one. */
  readonly examples?: { readonly body?: JsonValue; readonly answer?: JsonValue };
}

/** A body must be declared wherever a method has one; that of a deletion says why, where operators delete. */
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

/** An operation for operators names the scope that it asks for. */
type ScopeTerms<Route extends string> = Route extends `${string} /operator/v1/${string}`
  ? { readonly scope: OperatorScope }
  : Route extends `${string} /${'v1' | 'feed/v1'}/${string}`
    ? { readonly scope?: undefined }
    : { readonly scope?: OperatorScope };

/** Every name in the path but `:userId`, which is the same everywhere. */
type ParameterTerms<Route extends string> = [Exclude<NamesIn<Route>, 'userId'>] extends [never]
  ? { readonly parameters?: undefined }
  : { readonly parameters: Readonly<Record<Exclude<NamesIn<Route>, 'userId'>, PathParameter>> };

/** One operation: all that routing, validation, the OpenAPI document and the tests' matrix need to know of it. */
export interface Contract extends Terms {
  /** As the specification names it: `runs.start`. */
  readonly operation: string;
  readonly method: Method;
  /** With `:name` for a parameter, and `*name` for one that is all that is left, with slashes. */
  readonly path: string;
  readonly area: Area;
  /** Of an operation for operators: what their token must be good for. */
  readonly scope?: OperatorScope | undefined;
  readonly status: 200 | 201 | 202 | 204;
  /** Undefined only where the types were got around; such a route does not start. */
  readonly body: Body | 'none' | undefined;
  readonly parameters: Readonly<Record<string, PathParameter>>;
}

/** A contract whose body, query and answer the compiler knows, so that `@Serves` can hold a method to them. */
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

/** Declares an operation, which a controller's method then serves with `@Serves`. @param name as the specification names it: `runs.start` */
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
  // Reason for the assertion: the type of a route says so.
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
