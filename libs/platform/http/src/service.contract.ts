import { json, mapOf, oneOf, shape } from '@app/schema';
import { operation, type OperationGroup } from './operation/operation';

export const serviceGroup: OperationGroup = {
  name: 'service',
  description: 'Health and documents of the service itself; open without credentials',
};

const health = shape('Health', { status: oneOf(['ok']) });

const readiness = shape('Readiness', {
  status: oneOf(['ok', 'degraded', 'away', 'draining']),
  checks: mapOf(oneOf(['ok', 'degraded', 'away']), { description: 'The state of each dependency by its name' }),
});

export const readHealth = operation('service.health', {
  route: 'GET /healthz',
  open: true,
  summary: 'Whether the process is alive',
  answer: health,
  examples: { answer: { status: 'ok' } },
});

export const readReadiness = operation('service.readiness', {
  route: 'GET /readyz',
  open: true,
  summary: 'Whether the process is ready for requests',
  description: '503 while it drains or a store is away.',
  answer: readiness,
  otherAnswers: { 503: readiness },
  examples: { answer: { status: 'ok', checks: { database: 'ok', 'event store': 'ok', projections: 'ok' } } },
});

export const readOpenApi = operation('service.openapi', {
  route: 'GET /openapi.json',
  open: true,
  summary: 'This document',
  answer: json({ description: 'OpenAPI 3.1' }),
});

export const readOpenApi30 = operation('service.openapi30', {
  route: 'GET /openapi-3.0.json',
  open: true,
  summary: 'The same contract for generators that know OpenAPI 3.0 only',
  answer: json({ description: 'OpenAPI 3.0.3' }),
});
