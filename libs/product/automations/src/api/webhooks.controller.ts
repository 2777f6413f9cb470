import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { answer, jsonBody, Operation, ProblemException, RateWindows } from '@app/http';
import { asId, because, type Cause, type RequestId } from '@app/kernel';
import { read, text } from '@app/schema';
import type { FastifyRequest } from 'fastify';
import { examples } from './automation-examples';
import { InboundEventShape } from '../inputs/inbound-event';
import { Signalled, TakeInputs } from '../inputs/take-inputs';
import { idForm, isSignedWith, timestampForm } from '../inputs/webhook-signature';
import { WebhookKeys, type WebhookKey } from '../inputs/webhook-keys';

const bodyBytesMax = 64 * 1024;
const requestsPerMinute = 60;

const signatureHeaders = {
  'webhook-id': text({
    pattern: idForm,
    description: "The message's own id, which is signed; replays are told by the event's `id`",
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

/** The same for everything that is wrong before the body counts: nobody learns which keys there are. */
const notSigned = { kind: 'bare', problem: 'unauthenticated' } as const;

/** Where senders of events deliver them (docs/decisions/automations.md): signed as in Standard Webhooks, without partner key and user token. */
@Controller('/hooks/v1')
export class WebhooksController {
  constructor(
    private readonly keys: WebhookKeys,
    private readonly inputs: TakeInputs,
    private readonly windows: RateWindows,
  ) {}

  @Post(':keyId')
  @HttpCode(202)
  @Operation('automations.webhook', {
    body: 'bytes',
    bodyLimitBytes: bodyBytesMax,
    signed: true,
    summary: 'Deliver an event to an automation',
    description:
      'Signed as in [Standard Webhooks](https://www.standardwebhooks.com) with the secret of `automations.rotateWebhookSecret`, whose `path` this is. Recorded also while the automation is paused or held, but it does not fire then. An unknown key, a bad or missing signature and a stale timestamp get one and the same 401. At most 64 KiB, and 60 a minute for an automation.',
    takes: InboundEventShape,
    headers: signatureHeaders,
    requestExample: examples.event,
    answer: Signalled,
    answerExample: examples.signalled,
    reasons: ['rate_limited'],
  })
  async deliver(
    @Param('keyId') keyId: string,
    @Body() body: Buffer | undefined,
    @Req() request: FastifyRequest,
  ): Promise<Signalled> {
    const bytes = body ?? Buffer.alloc(0);
    const key = await this.keys.find(keyId, (secret) => isSignedWith(secret, request.headers, bytes));
    if (key === null) throw new ProblemException(notSigned);
    await this.count(key);
    const json = answer(jsonBody(request.headers['content-type'], bytes));
    const event = answer(read(InboundEventShape, json));
    return this.inputs.deliver(key, event, causeOf(request, keyId));
  }

  /** Only what is signed counts: nobody else can use up an automation's rate. */
  private async count({ automationId }: WebhookKey): Promise<void> {
    const [counted] = await this.windows.take([{ subject: `hook:${automationId}`, limit: requestsPerMinute }]);
    if (counted?.admitted === true) return;
    throw new ProblemException(because('rate_limited'), { 'retry-after': String(counted?.waitSeconds ?? 1) });
  }
}

function causeOf({ id }: FastifyRequest, keyId: string): Cause {
  const actor = { kind: 'service', id: `webhook/${keyId.toLowerCase()}` } as const;
  return { actor, requestId: asId<RequestId>(id), correlationId: id, causationId: id };
}
