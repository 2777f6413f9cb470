import { operation, type OperationGroup } from '@app/http';
import { json } from '@app/schema';

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
