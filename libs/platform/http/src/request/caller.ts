/** Parameters of controller methods, as admission recorded them. Each throws on a route that is not admitted, which is a defect. */
import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { asId, type PartnerKeyId } from '@app/kernel';
import type { FastifyRequest } from 'fastify';
import { contextOf } from './request-context';
import type { AdmittedCaller, AdmittedIdentity, AdmittedOperator, RequestContext } from './request-context';

function admitted<Value>(name: string, recordedIn: (context: RequestContext) => Value | null) {
  return createParamDecorator((_: unknown, context: ExecutionContext): Value => {
    const value = recordedIn(contextOf(context.switchToHttp().getRequest<FastifyRequest>()));
    if (value === null) throw new Error(`${name} was asked for on a route without admission`);
    return value;
  });
}

/** The user and the partner key of an admitted `/v1` request. */
export type Caller = AdmittedCaller;

/** The caller of a `/v1` operation: `@Caller() caller: Caller`. */
export const Caller = admitted('a caller', ({ caller }) => caller);

/** The identity of an admitted `/v1` request to an operation that needs no account. */
export type CallerIdentity = AdmittedIdentity;

/** The identity that calls an operation without an account: `@CallerIdentity() identity: CallerIdentity`. */
export const CallerIdentity = admitted('an identity', ({ identity }) => identity);

/** The operator who sent an admitted `/operator/v1` request. */
export type Operator = AdmittedOperator;

/** The operator of an `/operator/v1` operation: `@Operator() operator: Operator`. */
export const Operator = admitted('an operator', ({ operator }) => operator);

/** The partner key of an admitted `/feed/v1` request: `@CallingKey() keyId: PartnerKeyId`. */
export const CallingKey = admitted('a partner key', ({ partnerKeyId }) =>
  partnerKeyId === null ? null : asId<PartnerKeyId>(partnerKeyId),
);
