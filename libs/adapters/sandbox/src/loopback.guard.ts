import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { ProblemException } from '@app/http';
import { because } from '@app/kernel';
import type { FastifyRequest } from 'fastify';

const loopbackAddress = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const loopbackHost = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d{1,5})?$/i;

/**
 * Allows requests that arrived at a loopback address and name one as their `Host` (docs/decisions/sandbox.md). A page
 * whose name was made to resolve to this machine sends its own name, and is refused as any foreign origin.
 */
@Injectable()
export class LoopbackOnly implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    const { localAddress } = request.raw.socket;
    if (loopbackAddress.test(localAddress ?? '') && loopbackHost.test(request.headers.host ?? '')) return true;
    throw new ProblemException(because('origin_rejected'));
  }
}
