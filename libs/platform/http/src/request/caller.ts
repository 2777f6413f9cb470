import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { contextOf, type AdmittedCaller } from './request-context';

/** The user and the partner key of an admitted `/v1` request. */
export type Caller = AdmittedCaller;

/**
 * The caller of a `/v1` operation, as a controller method's parameter: `@Caller() caller: Caller`.
 * Throws on a route that is not admitted, which is a defect.
 */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  const { caller } = contextOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (caller === null) throw new Error('a caller was asked for on a route without admission');
  return caller;
});
