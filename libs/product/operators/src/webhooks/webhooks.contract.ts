import { operation, PageQuery, type OperationGroup } from '@app/http';
import { ChangeReason, MadeChange, madeExample, operatorsExamples, reasonedChange } from '../changes/operators.schema';
import {
  ChangeWebhookDto,
  CreatedWebhookEndpoint,
  CreateWebhookDto,
  ListDeliveriesDto,
  RecoverWebhookDto,
  RotatedWebhookSecret,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointPage,
  webhooksExamples,
} from './webhooks.schema';

export const webhooksGroup: OperationGroup = {
  name: 'webhooks',
  description: 'Where partners have events delivered, and what becomes of each delivery',
};

const { created, rotated, endpoint, delivery } = webhooksExamples;
const endpointId = { description: 'An endpoint, by its id', example: endpoint.endpointId };
const deliveryId = { description: 'A delivery to it, by its id', example: delivery.id };

export const createWebhook = operation('webhooks.create', {
  route: 'POST /operator/v1/webhook-endpoints',
  scope: 'webhooks',
  status: 201,
  summary: 'Have events delivered to an address',
  description:
    'What happens from now on is sent there, signed as Standard Webhooks has it. The secret is shown this once; one whose answer was lost is in the list: rotate its secret, or delete it. There are 50 at most.',
  body: CreateWebhookDto,
  answer: CreatedWebhookEndpoint,
  reasons: ['rate_limited'],
  examples: { body: { ...webhooksExamples.body, reason: 'a new partner' }, answer: created },
});

export const listWebhooks = operation('webhooks.list', {
  route: 'GET /operator/v1/webhook-endpoints',
  scope: 'webhooks',
  summary: 'List endpoints, oldest first, with how they do',
  query: PageQuery,
  answer: WebhookEndpointPage,
  examples: { answer: { data: [endpoint], nextCursor: null } },
});

export const showWebhook = operation('webhooks.show', {
  route: 'GET /operator/v1/webhook-endpoints/:endpointId',
  scope: 'webhooks',
  summary: 'Show an endpoint, with how it does',
  parameters: { endpointId },
  answer: WebhookEndpoint,
  examples: { answer: endpoint },
});

export const changeWebhook = operation('webhooks.change', {
  route: 'PATCH /operator/v1/webhook-endpoints/:endpointId',
  scope: 'webhooks',
  summary: 'Change an endpoint, disable it, or enable it again',
  description:
    'What is left out stays as it is. Attempts from now on follow it, also those of pending deliveries. Enabled again, it gets what happens from now on: `recover` brings the rest. Idempotent.',
  parameters: { endpointId },
  body: ChangeWebhookDto,
  answer: MadeChange,
  examples: {
    body: { types: ['run.ended'], enabled: true, reason: 'it is back' },
    answer: madeExample('webhooks.change', endpointId.example),
  },
});

export const deleteWebhook = operation('webhooks.delete', {
  route: 'DELETE /operator/v1/webhook-endpoints/:endpointId',
  scope: 'webhooks',
  summary: 'Delete an endpoint for good',
  description: 'Nothing more is sent to it, and its secrets are gone. Idempotent.',
  parameters: { endpointId },
  ...reasonedChange('webhooks.delete', endpointId.example, 'the partner left'),
});

export const rotateWebhook = operation('webhooks.rotate', {
  route: 'POST /operator/v1/webhook-endpoints/:endpointId/rotate',
  scope: 'webhooks',
  summary: 'Make an endpoint a new secret',
  description:
    'It is shown this once. For 24 hours both sign, so that the receiver can take the new one at any time. At most five sign at once.',
  parameters: { endpointId },
  body: ChangeReason,
  answer: RotatedWebhookSecret,
  reasons: ['rate_limited'],
  examples: { body: { reason: 'once a year' }, answer: rotated },
});

export const testWebhook = operation('webhooks.test', {
  route: 'POST /operator/v1/webhook-endpoints/:endpointId/test',
  scope: 'webhooks',
  summary: 'Send an endpoint a message of the type endpoint.test',
  description:
    'Also to one that is disabled. What becomes of it is in the list of its deliveries, where its `noticeId` is the `intentId` of this answer.',
  parameters: { endpointId },
  ...reasonedChange('webhooks.test', endpointId.example, 'is it there?'),
});

export const listDeliveries = operation('webhooks.deliveries', {
  route: 'GET /operator/v1/webhook-endpoints/:endpointId/deliveries',
  scope: 'webhooks',
  summary: 'List the deliveries to an endpoint, newest first',
  description: 'Delivered ones are kept for 3 days, failed ones for 30.',
  parameters: { endpointId },
  query: ListDeliveriesDto,
  answer: WebhookDeliveryPage,
  examples: { answer: { data: [delivery], nextCursor: null } },
});

export const retryDelivery = operation('webhooks.retry', {
  route: 'POST /operator/v1/webhook-endpoints/:endpointId/deliveries/:deliveryId/retry',
  scope: 'webhooks',
  summary: 'Attempt a delivery again at once',
  description: 'Whatever became of it, with its attempts counted anew; not to an endpoint that is disabled.',
  parameters: { endpointId, deliveryId },
  ...reasonedChange('webhooks.retry', endpointId.example, 'it is mended'),
});

export const recoverWebhook = operation('webhooks.recover', {
  route: 'POST /operator/v1/webhook-endpoints/:endpointId/recover',
  scope: 'webhooks',
  summary: 'Deliver what an endpoint has missed since then',
  description:
    'What was given up, and what happened while it was disabled: in the background, in the order of each stream. At most 30 days back; the feed has what is older.',
  parameters: { endpointId },
  body: RecoverWebhookDto,
  answer: MadeChange,
  examples: {
    body: { since: operatorsExamples.change.at, reason: 'an outage of theirs' },
    answer: madeExample('webhooks.recover', endpointId.example),
  },
});
