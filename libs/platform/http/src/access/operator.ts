import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { contextOf, type AdmittedOperator } from '../request/request-context';

/** The operator who sent an admitted `/operator/v1` request. */
export type Operator = AdmittedOperator;

/**
 * The operator of an `/operator/v1` operation, as a controller method's parameter: `@Operator() operator: Operator`.
 * Throws on a route that is not admitted, which is a defect.
 */
export const Operator = createParamDecorator((_: unknown, context: ExecutionContext): Operator => {
  const { operator } = contextOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (operator === null) throw new Error('an operator was asked for on a route without admission');
  return operator;
});
