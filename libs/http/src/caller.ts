import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Cause, Instant, JsonObject, PartnerKeyId, RequestId, UserId } from '@app/kernel';
import type { FastifyRequest } from 'fastify';
import { contextOf } from './request-context';

/** Whom an admitted `/v1` request acts for, and through which partner. */
export interface Caller {
  readonly userId: UserId;
  readonly subject: string;
  readonly issuer: string;
  readonly tokenExpiresAt: Instant;
  readonly partnerKeyId: PartnerKeyId;
  readonly requestId: RequestId;
  /** All claims of the user's token. */
  readonly claims: JsonObject;
  /** What a command that this request gives is caused by. */
  readonly cause: Cause;
}

/** The caller of a `/v1` operation, as a controller method's parameter: `@Caller() caller: Caller`. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): Caller => {
  return callerOf(context.switchToHttp().getRequest<FastifyRequest>());
});

/** The caller of an admitted request. Throws when the request's route is not admitted, which is a defect. */
export function callerOf(request: FastifyRequest): Caller {
  const { caller } = contextOf(request);
  if (caller === null) throw new Error('a caller was asked for on a route without admission');
  return caller;
}
