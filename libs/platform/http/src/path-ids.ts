import { parseUuid } from '@app/kernel';
import type { FastifyRequest } from 'fastify';

/** Puts the ids of a request's path in lower case; answers the names of those that are no ids. */
export function malformedIds(request: FastifyRequest, names: readonly string[]): readonly string[] {
  const parameters = pathParameters(request);
  return names.filter((name) => {
    const id = parseUuid(parameters[name]);
    if (id !== null) parameters[name] = id;
    return id === null;
  });
}

/** What the path of a request names. */
export function pathParameters({ params }: FastifyRequest): Record<string, string> {
  // Reason for the assertion: Fastify's router makes an object of texts.
  return params as Record<string, string>;
}
