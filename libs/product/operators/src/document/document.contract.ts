import { json, nullable, oneOf, shape, text, type Shaped } from '@app/schema';
import { operation, type OperationGroup } from '@app/http';

export const DeploymentIdentity = shape('DeploymentIdentity', {
  deploymentId: nullable(text(), {
    description:
      'The name of its log of all events, which no other deployment has; null in the first minute of its life',
  }),
  version: text({ description: 'Of the product' }),
  mode: oneOf(['sandbox', 'production']),
});
export type DeploymentIdentity = Shaped<typeof DeploymentIdentity>;

const identityExample: DeploymentIdentity = {
  deploymentId: 'parley/5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11',
  version: '0.2.0',
  mode: 'production',
};

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
