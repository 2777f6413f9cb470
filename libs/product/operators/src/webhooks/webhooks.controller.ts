import { Body, Controller, Param, Query } from '@nestjs/common';
import { answer, Operator, PageQuery, Serves } from '@app/http';
import { instantOf, type EndpointId } from '@app/kernel';
import { replacedKeySignsMs } from '@app/webhooks';
import { ListWebhookDeliveries, ListWebhookDeliveriesHandler } from './list-deliveries';
import { ChangeController } from '../changes/make-change';
import { MakeEndpoint, MakeEndpointHandler, MakeEndpointSecret, MakeEndpointSecretHandler } from './make-endpoint';
import { ChangeReason, type MadeChange } from '../changes/operators.schema';
import { ListWebhooks, ListWebhooksHandler, ShowWebhook, ShowWebhookHandler } from './show-endpoints';
import * as contracts from './webhooks.contract';
import { ChangeWebhookDto, CreateWebhookDto, everyType, ListDeliveriesDto, RecoverWebhookDto } from './webhooks.dto';
import type {
  CreatedWebhookEndpoint,
  RotatedWebhookSecret,
  WebhookDeliveryPage,
  WebhookEndpoint,
  WebhookEndpointPage,
} from './webhooks.schema';

@Controller()
export class OperatorsWebhooksController extends ChangeController {
  @Serves(contracts.createWebhook)
  async create(@Operator() operator: Operator, @Body() body: CreateWebhookDto): Promise<CreatedWebhookEndpoint> {
    const { url, payload = 'thin', description, reason } = body;
    const settings = { url, types: namedTypes(body.types) ?? null, payload, description };
    const { at, endpointId, secret } = answer(
      await this.commands.execute(new MakeEndpoint(operator, settings, reason)),
    );
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
    return this.make(operator, { operation: 'webhooks.change', target, parameters, reason });
  }

  @Serves(contracts.deleteWebhook)
  async remove(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.make(operator, { operation: 'webhooks.delete', target, reason });
  }

  @Serves(contracts.rotateWebhook)
  async rotate(
    @Operator() operator: Operator,
    @Param('endpointId') endpointId: EndpointId,
    @Body() { reason }: ChangeReason,
  ): Promise<RotatedWebhookSecret> {
    const made = answer(await this.commands.execute(new MakeEndpointSecret(operator, endpointId, reason)));
    const othersUntil = instantOf(Date.parse(made.at) + replacedKeySignsMs);
    return { endpointId, secret: made.secret, rotatedAt: made.at, othersUntil };
  }

  @Serves(contracts.testWebhook)
  async test(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { reason }: ChangeReason,
  ): Promise<MadeChange> {
    return this.make(operator, { operation: 'webhooks.test', target, reason });
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
    return this.make(operator, { operation: 'webhooks.retry', target, parameters: { deliveryId }, reason });
  }

  @Serves(contracts.recoverWebhook)
  async recover(
    @Operator() operator: Operator,
    @Param('endpointId') target: EndpointId,
    @Body() { since, reason }: RecoverWebhookDto,
  ): Promise<MadeChange> {
    return this.make(operator, { operation: 'webhooks.recover', target, parameters: { since }, reason });
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
  MakeEndpointHandler,
  MakeEndpointSecretHandler,
  ShowWebhookHandler,
];
