import { applyDecorators } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';

export interface OperationOptions {
  /** Whether the caller must have an account already; `users.ensure` alone does not ask for one. A disabled one is refused always. */
  readonly account?: 'required' | 'not required';
  /** `json` (the default) is parsed strictly; `bytes` hands the body over as a Buffer, whatever its media type. */
  readonly body?: 'json' | 'bytes';
  /** Largest body in bytes; the deployment's limit for JSON bodies when absent. */
  readonly bodyLimitBytes?: number;
}

/** What the routes' hooks know of a route; kept in Fastify's route configuration. */
export interface OperationPlan extends Required<Omit<OperationOptions, 'bodyLimitBytes'>> {
  /** Names the operation in logs and metrics, as in the specification: `runs.start`. */
  readonly operation: string;
  readonly bodyLimitBytes: number | null;
  /** A handler without `@Body()` takes no body but `{}`, and one without `@Query()` no parameter. */
  readonly takesBody: boolean;
  readonly takesQuery: boolean;
}

/** Names the operation that a controller's method serves, and how its requests are admitted. Every route under `/v1` needs one. */
export function Operation(operation: string, options: OperationOptions = {}): MethodDecorator {
  return (target, property, descriptor) => {
    const plan: OperationPlan = {
      operation,
      account: options.account ?? 'required',
      body: options.body ?? 'json',
      bodyLimitBytes: options.bodyLimitBytes ?? null,
      takesBody: hasParameter(target.constructor, property, bodyParameter),
      takesQuery: hasParameter(target.constructor, property, queryParameter),
    };
    applyDecorators(RouteConfig({ plan }))(target, property, descriptor);
  };
}

// Nest keeps a method's decorated parameters under this key, each named `<kind>:<index>`; 3 and 4 are @Body and @Query.
const routeArguments = '__routeArguments__';
const bodyParameter = '3:';
const queryParameter = '4:';

function hasParameter(controller: object, property: string | symbol, kind: string): boolean {
  const parameters: unknown = Reflect.getMetadata(routeArguments, controller, property);
  return (
    typeof parameters === 'object' &&
    parameters !== null &&
    Object.keys(parameters).some((name) => name.startsWith(kind))
  );
}
