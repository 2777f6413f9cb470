import { isJsonObject, parseUuid } from '@app/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { pathParameters } from './path-ids';

/** What a request may be about, as log lines name it: who looks for one of them finds every request that it had a part in. */
const subjects = ['conversationId', 'runId', 'approvalId', 'operationId', 'automationId'] as const;

/** The ids of what a request is about. */
export type RequestSubjects = Partial<Record<(typeof subjects)[number], string>>;

/** Keeps what an answer says that its request was about: a new run has its id from the service. */
export function noteSubjects(fastify: FastifyInstance): void {
  fastify.addHook('preSerialization', (request, _reply, payload, done) => {
    if (request.parley != null) request.parley.answeredAbout = subjectsIn(payload);
    done(null, payload);
  });
}

/** As its path says it, or else its body, or else its answer. What is not a UUID comes from the client and is left out. */
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
