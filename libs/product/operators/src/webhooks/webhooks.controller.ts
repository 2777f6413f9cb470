import { Body, Controller, Param, Query } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import { answer, Operator, PageQuery, Serves } from '@app/http';
import { asId, instantOf, type EndpointId } from '@app/kernel';
import { replacedKeySignsMs } from '@app/webhooks';
import { v7 as uuidV7 } from 'uuid';
import {
  ListWebhookDeliveries,
  ListWebhookDeliveriesHandler,
  ListWebhooks,
  ListWebhooksHandler,
  ShowWebhook,
  ShowWebhookHandler,
} from './show-webhooks';
import { makeChange } from '../changes/make-change';
import { MakeSecret, MakeSecretHandler } from './make-secret';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';
import * as contracts from './webhooks.contract';
import { ChangeWebhookDto, CreateWebhookDto, everyType, ListDeliveriesDto, RecoverWebhookDto } from './webhooks.schema';
import type {
  CreatedWebhookEndpoint,
  RotatedWebhookSecret,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointPage,
} from './webhooks.schema';

@Controller()
export class OperatorsWebhooksController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
  ) {}

  @Serves(contracts.createWebhook)
  async create(@Operator() operator: Operator, @Body() body: CreateWebhookDto): Promise<CreatedWebhookEndpoint> {
    const { url, payload = 'thin', description, reason } = body;
    const settings = { url, types: namedTypes(body.types) ?? null, payload, description };
    const endpointId = asId<EndpointId>(uuidV7());
    const change = { operation: 'webhooks.create', parameters: settings, reason } as const;
    const { at, secret } = answer(await this.commands.execute(new MakeSecret(operator, endpointId, change)));
    return { endpointId, ...settings, secret, createdAt: at };
  }

  @Serves(contracts.listWebhooks)
  async list(@Operator() operator: Operator, @Query() query: PageQuery): Promise<WebhookEndpointPage> {
    return answer(await this.queries.execute(new ListWebhooks(operator, query)));
  }

  @Serves(contracts.showWebhook)
  async show(@Param('endpointId') endpointId: EndpointId): Promise<WebhookEndpoint> {
    return answer(await this.queries.execute(new ShowWebhook(endpointId)));
  }

  @Serves(contracts.changeWebhook)
  async change(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { reason, types, ...others }: ChangeWebhookDto,
  ): Promise<MadeChange> {
    const named = namedTypes(types);
    const given = { ...others, ...(named !== undefined && { types: named }) };
    // Omitted members are not logged as requested.
    const parameters = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return makeChange(this.commands, operator, { operation: 'webhooks.change', target, parameters, reason });
  }

  @Serves(contracts.deleteWebhook)
  async remove(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'webhooks.delete', target, reason });
  }

  @Serves(contracts.rotateWebhook)
  async rotate(
    @Operator() operator: Operator,
    @Param('endpointId') endpointId: EndpointId,
    @Body() { reason }: ChangeReason,
  ): Promise<RotatedWebhookSecret> {
    const change = { operation: 'webhooks.rotate', reason } as const;
    const { at, secret } = answer(await this.commands.execute(new MakeSecret(operator, endpointId, change)));
    return { endpointId, secret, rotatedAt: at, othersUntil: instantOf(Date.parse(at) + replacedKeySignsMs) };
  }

  @Serves(contracts.testWebhook)
  async test(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, { operation: 'webhooks.test', target, reason });
  }

  @Serves(contracts.listDeliveries)
  async deliveries(
    @Operator() operator: Operator,
    @Param('endpointId') endpointId: EndpointId,
    @Query() query: ListDeliveriesDto,
  ): Promise<WebhookDeliveryPage> {
    return answer(await this.queries.execute(new ListWebhookDeliveries(operator, endpointId, query)));
  }

  @Serves(contracts.retryDelivery)
  async retry(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Param('deliveryId') deliveryId: string,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, {
      operation: 'webhooks.retry',
      target,
      parameters: { deliveryId },
      reason,
    });
  }

  @Serves(contracts.recoverWebhook)
  async recover(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { since, reason }: RecoverWebhookDto,
  ): Promise<MadeChange> {
    return makeChange(this.commands, operator, {
      operation: 'webhooks.recover',
      target,
      parameters: { since },
      reason,
    });
  }
}

/** The requested types as endpoints store them: null for all. */
function namedTypes(asked: CreateWebhookDto['types']): readonly string[] | null | undefined {
  return asked?.includes(everyType) === true ? null : asked;
}

/** Handlers of the commands and queries that the controller executes. */
export const operatorsWebhooksHandlers = [
  ListWebhookDeliveriesHandler,
  ListWebhooksHandler,
  MakeSecretHandler,
  ShowWebhookHandler,
];
