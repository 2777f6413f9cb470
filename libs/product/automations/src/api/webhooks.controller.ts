import { Body, Controller, Param, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { answer, jsonBody, ProblemException, RateWindows, Serves } from '@app/http';
import { because, causeOfService } from '@app/kernel';
import { read } from '@app/schema';
import type { FastifyRequest } from 'fastify';
import { InboundEventShape } from '../inputs/inbound-event';
import { isSignedWith } from '../inputs/webhook-signature';
import { WebhookKeys, type WebhookKey } from '../inputs/webhook-keys';
import { DeliverWebhook, Signalled } from '../use-cases/give-input';
import { deliverWebhook } from './webhooks.contract';

const requestsPerMinute = 60;

/** The same answer for every failure before the body is read, so that it does not reveal which keys exist. */
const notSigned = { kind: 'bare', problem: 'unauthenticated' } as const;

/**
 * Receives the events that senders deliver (docs/decisions/automations.md): signed as in Standard Webhooks, without
 * partner key or user token.
 */
@Controller()
export class WebhooksController {
  constructor(
    private readonly keys: WebhookKeys,
    private readonly commands: CommandBus,
    private readonly windows: RateWindows,
  ) {}

  @Serves(deliverWebhook)
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
    const cause = causeOfService(`webhook/${keyId.toLowerCase()}`, request.id);
    return this.commands.execute(new DeliverWebhook(key, event, cause));
  }

  /** Only signed requests count, so that nothing but the key's holder can use up an automation's rate. */
  private async count({ automationId }: WebhookKey): Promise<void> {
    const [counted] = await this.windows.consume([{ subject: `hook:${automationId}`, limit: requestsPerMinute }]);
    if (counted?.admitted === true) return;
    throw new ProblemException(because('rate_limited'), { 'retry-after': String(counted?.waitSeconds ?? 1) });
  }
}
