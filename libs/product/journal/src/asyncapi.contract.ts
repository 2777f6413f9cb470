import { operation } from '@app/http';
import { json } from '@app/schema';

export const readEventsDocument = operation('service.asyncapi', {
  route: 'GET /asyncapi.json',
  open: true,
  summary: "The journal's events",
  answer: json({ description: 'AsyncAPI 3' }),
});
