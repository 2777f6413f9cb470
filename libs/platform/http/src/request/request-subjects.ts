import { isJsonObject, parseUuid } from '@app/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pathParameters } from './path-ids';

/** Objects that a request may concern, as log lines name them: a search for one of their ids finds every request that involved it. */
const subjects = ['conversationId', 'runId', 'approvalId', 'operationId', 'automationId'] as const;

/** The ids of the objects that a request concerns. */
export type RequestSubjects = Partial<Record<(typeof subjects)[number], string>>;

/** Records the ids in an answer, because the service assigns the id of a new run. */
export function noteSubjects(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.parley != null) request.parley.answeredAbout = subjectsIn(payload);
    done(null, payload);
  });
}

/**
 * From its path, otherwise from its body, otherwise from its answer. A value that is not a UUID is the client's own text and is left out.
 */
export function subjectsOf(request: FastifyRequest): RequestSubjects {
  return {
    ...request.parley?.answeredAbout,
    ...subjectsIn(request.body),
    ...subjectsIn(pathParameters(request)),
  };
}

function subjectsIn(value: unknown): RequestSubjects {
  const found: RequestSubjects = {};
  if (!isJsonObject(value)) return found;
  for (const name of subjects) {
    const id = parseUuid(value[name]);
    if (id !== null) found[name] = id;
  }
  return found;
}
