import { Module } from '@nestjs/common';
import { NoticesModule } from '@app/notices';
import { Claims } from './delivery/claims';
import { Deliverer } from './delivery/deliverer';
import { DeliveryCounts } from './delivery/delivery-metrics';
import { DeliveryWorker } from './delivery/delivery-worker';
import { FanOut } from './delivery/fan-out';
import { FanOutTables } from './delivery/fan-out-tables';
import { Housekeeping } from './delivery/housekeeping';
import { Messages } from './delivery/sign-message';
import { NoticeCache } from './delivery/notice-cache';
import { AttemptOutcomes } from './delivery/attempt-outcomes';
import { Recoveries } from './delivery/recoveries';
import { NameServers, Resolver } from './delivery/resolver';
import { Sender } from './delivery/sender';
import { WebhooksLead } from './delivery/webhooks-lead';
import { WebhooksModule } from './webhooks.module';

/** Delivers notices to endpoints, in workers. */
@Module({
  imports: [NoticesModule, WebhooksModule],
  providers: [
    Claims,
    Deliverer,
    DeliveryCounts,
    DeliveryWorker,
    FanOut,
    FanOutTables,
    Housekeeping,
    Messages,
    NoticeCache,
    AttemptOutcomes,
    Recoveries,
    Sender,
    WebhooksLead,
    { provide: Resolver, useFactory: () => new NameServers() },
  ],
})
export class WebhookWorkModule {}
