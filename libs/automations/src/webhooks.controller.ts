import { Body, Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import { answer, jsonBody, Operation, ProblemException, RateWindows } from '@app/http';
import { asId, because, type Cause, type InputId, type RequestId } from '@app/kernel';
import type { FastifyRequest } from 'fastify';
import { parseInboundEvent } from './inbound-event';
import { TakeInputs } from './take-inputs';
import { isSignedWith } from './webhook-signature';
import { WebhookKeys, type WebhookKey } from './webhook-keys';

const bodyBytesMax = 64 * 1024;
const requestsPerMinute = 60;

/** The same for everything that is wrong before the body counts: nobody learns which keys there are. */
const notSigned = { kind: 'bare', problem: 'unauthenticated' } as const;

/** Where senders of events deliver them (decisions.md, section 6): signed as in Standard Webhooks, without partner key and user token. */
@Controller('/hooks/v1')
export class WebhooksController {
  constructor(
    private readonly keys: WebhookKeys,
    private readonly inputs: TakeInputs,
    private readonly windows: RateWindows,
  ) {}

  @Post(':keyId')
  @HttpCode(202)
  @Operation('automations.webhook', { body: 'bytes', bodyLimitBytes: bodyBytesMax })
  async deliver(
    @Param('keyId') keyId: string,
    @Body() body: Buffer | undefined,
    @Req() request: FastifyRequest,
  ): Promise<{ status: string; inputId: InputId }> {
    const bytes = body ?? Buffer.alloc(0);
    const key = await this.keys.find(keyId);
    if (!isSignedWith(key?.secret ?? null, request.headers, bytes) || key === null)
      throw new ProblemException(notSigned);
    await this.count(key);
    const json = answer(jsonBody(request.headers['content-type'], bytes));
    const event = answer(parseInboundEvent(json));
    return this.inputs.deliver(key, event, causeOf(request, keyId));
  }

  /** Only what is signed counts: nobody else can use up an automation's rate. */
  private async count({ automationId }: WebhookKey): Promise<void> {
    const [counted] = await this.windows.take([{ subject: `hook:${automationId}`, limit: requestsPerMinute }]);
    if (counted?.admitted === true) return;
    throw new ProblemException(because('rate_limited'), { 'retry-after': String(counted?.resetSeconds ?? 1) });
  }
}

function causeOf({ id }: FastifyRequest, keyId: string): Cause {
  const actor = { kind: 'service', id: `webhook/${keyId.toLowerCase()}` } as const;
  return { actor, requestId: asId<RequestId>(id), correlationId: id, causationId: id };
}
