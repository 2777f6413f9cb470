import { operation, type OperationGroup } from '@app/http';
import { json } from '@app/schema';
import { DeploymentIdentity, identityExample } from './document.schema';

export const documentGroup: OperationGroup = {
  name: 'service',
  description: 'What the operator API says of itself; open without credentials',
};

export const readOperatorOpenApi = operation('service.operatorOpenapi', {
  route: 'GET /operator/openapi.json',
  open: true,
  summary: 'This document',
  answer: json({ description: 'OpenAPI 3.1' }),
});

export const identifyDeployment = operation('service.identify', {
  route: 'GET /operator/identity.json',
  open: true,
  summary: 'Which deployment this is',
  description: 'For whoever is about to change something: the command line says it in each question and each answer.',
  answer: DeploymentIdentity,
  examples: { answer: identityExample },
});
