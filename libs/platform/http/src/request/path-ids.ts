import { parseUuid } from '@app/kernel';
import type { FastifyRequest } from 'fastify';

/** Converts the ids of a request's path to lower case; returns the names of those that are not ids. */
export function malformedIds(request: FastifyRequest, names: readonly string[]): readonly string[] {
  const parameters = pathParameters(request);
  return names.filter((name) => {
    const id = parseUuid(parameters[name]);
    if (id !== null) parameters[name] = id;
    return id === null;
  });
}

/** The parameters of a request's path. */
export function pathParameters({ params }: FastifyRequest): Record<string, string> {
  // Reason for the assertion: Fastify's router makes an object of texts.
  return params as Record<string, string>;
}
