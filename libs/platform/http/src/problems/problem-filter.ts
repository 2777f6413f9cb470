import { Catch, HttpException, type ArgumentsHost, type ExceptionFilter } from '@nestjs/common';
import { DamagedStream, invalid, notFound, Unavailable } from '@app/kernel';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ProblemException, type Failure } from './problems';
import { sendProblem } from './send-problem';

/** Answers an error thrown while a request is served with its problem; an unexpected error is logged, and never sent. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  constructor(private readonly log: Logger) {}

  catch(exception: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const failure = failureOf(exception);
    this.record(exception, failure, request);
    if (reply.sent || reply.raw.headersSent) {
      // The answer is already in flight, so it can only be cut off visibly.
      reply.raw.destroy();
      return;
    }
    const headers = exception instanceof ProblemException ? exception.headers : {};
    sendProblem(request, reply, failure, headers, detailFor(request, exception));
  }

  private record(exception: unknown, failure: Failure, request: FastifyRequest): void {
    const fields = { requestId: request.id, operation: request.parley?.plan?.operation, err: exception };
    if (failure.kind === 'internal') this.log.error(fields, 'a request failed unexpectedly');
    else if (failure.kind === 'unavailable') this.log.warn(fields, 'a dependency did not answer');
  }
}

/** Names a damaged stream, or the dependency that is away, to operators, who can act on it. Users and partners learn neither. */
function detailFor(request: FastifyRequest, exception: unknown): string | undefined {
  if (request.parley?.plan?.area !== 'operator' || !(exception instanceof Unavailable)) return undefined;
  return exception instanceof DamagedStream
    ? `${exception.message} (docs/runbook.md, "ParleyStreamDamaged")`
    : exception.message;
}

/** The failure that a thrown value represents. */
export function failureOf(exception: unknown): Failure {
  if (exception instanceof ProblemException) return exception.failure;
  // A stream that is gone for good does not return on a retry.
  if (exception instanceof DamagedStream && exception.isGone) return notFound;
  if (exception instanceof Unavailable) return { kind: 'unavailable', reason: exception.reason ?? 'internal' };
  // The status of errors from Nest, from Fastify, and of a broken-off request body shows whether the client is at fault.
  const status = statusOf(exception) ?? 500;
  if (status === 404) return notFound;
  if (status === 413) return { kind: 'bare', problem: 'too_large' };
  if (status === 415) return invalid('', 'has a Content-Type that is no media type');
  return status >= 400 && status < 500 ? invalid('', 'is not a well-formed request') : { kind: 'internal' };
}

function statusOf(exception: unknown): number | undefined {
  if (exception instanceof HttpException) return exception.getStatus();
  const status: unknown = exception instanceof Error ? Reflect.get(exception, 'statusCode') : undefined;
  return typeof status === 'number' ? status : undefined;
}
