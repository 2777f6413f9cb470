import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { asId, type PartnerKeyId } from '@app/kernel';
import type { FastifyRequest } from 'fastify';
import { contextOf } from './request-context';

/**
 * The partner key of an admitted `/feed/v1` request, as a controller method's parameter: `@CallingKey() keyId: PartnerKeyId`.
 * Throws on a route that is not admitted, which is a defect.
 */
export const CallingKey = createParamDecorator((_: unknown, context: ExecutionContext): PartnerKeyId => {
  const { partnerKeyId } = contextOf(context.switchToHttp().getRequest<FastifyRequest>());
  if (partnerKeyId === null) throw new Error('a partner key was asked for on a route without admission');
  return asId<PartnerKeyId>(partnerKeyId);
});
