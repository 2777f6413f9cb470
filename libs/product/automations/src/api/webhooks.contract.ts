import { operation } from '@app/http';
import { text } from '@app/schema';
import { examples } from './automation-examples';
import { InboundEventShape } from '../inputs/inbound-event';
import { Signalled } from '../use-cases/give-input';
import { idForm, timestampForm } from '../inputs/webhook-signature';

const bodyBytesMax = 64 * 1024;

const signatureHeaders = {
  'webhook-id': text({
    pattern: idForm,
    description: "The message's own id, which is signed; replays are recognised by the event's `id`",
    examples: ['msg_4711'],
  }),
  'webhook-timestamp': text({
    pattern: timestampForm,
    description: 'Seconds since 1970, within 5 minutes of real time',
    examples: ['1795341600'],
  }),
  'webhook-signature': text({
    description: '`v1,` and the base64 HMAC-SHA256 over `id.timestamp.body`; several are separated by spaces',
    examples: ['v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4='],
  }),
};

const keyId = {
  description: 'Of the webhook, as in the `path` that the rotation of its secret answered',
  example: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e08',
};

export const deliverWebhook = operation('automations.webhook', {
  route: 'POST /hooks/v1/:keyId',
  status: 202,
  signed: true,
  summary: 'Deliver an event to an automation',
  description:
    'Signed as in [Standard Webhooks](https://www.standardwebhooks.com) with the secret of `automations.rotateWebhookSecret`, whose `path` this is. Recorded also while the automation is paused or held, but it does not fire then. An unknown key, a bad or missing signature and a stale timestamp get one and the same 401. At most 64 KiB, and 60 a minute for an automation.',
  parameters: { keyId },
  headers: signatureHeaders,
  body: { bytes: InboundEventShape, limitBytes: bodyBytesMax },
  answer: Signalled,
  reasons: ['rate_limited'],
  examples: { body: examples.event, answer: examples.signalled },
});
