import { CommandBus } from '@nestjs/cqrs';
import { EventStore } from '@app/event-store';
import { asId, Clock, instantOf, type EndpointId } from '@app/kernel';
import { Database } from '@app/read-store';
import { assembled, foundationReadModels, Slices, testCause, type Replica } from '@app/testing/slices';
import { ScriptedJournal } from '@app/testing/journeys';
import { until } from '@app/testing/until';
import { PartnerEndpoint } from '@app/testing/webhooks';
import { v7 as uuidV7 } from 'uuid';
import {
  ChangeEndpoint,
  CreateEndpoint,
  DeleteEndpoint,
  EndpointSecrets,
  WebhooksModule,
  webhooksReadModel,
  WebhookWorkModule,
} from '../src';
import { Deliveries } from '../src/delivery/deliveries';
import type { DeliveryView } from '../src/delivery/delivery';
import type { EndpointSettings } from '../src/endpoint/endpoint.events';
import { FanOutTables } from '../src/delivery/fan-out-tables';

/** An endpoint of a partner, as Parley knows it. */
export interface Registered {
  readonly endpointId: EndpointId;
  readonly partner: PartnerEndpoint;
}

/**
 * Workers that deliver, on stores of their own, and partners that listen. The clocks of all workers show the same time
 * and do not run unless they are moved: five days that end on the clock of one worker have ended for every other.
 */
export class DeliveryStage {
  readonly partners: PartnerEndpoint[] = [];

  private constructor(
    readonly slices: Slices,
    readonly workers: readonly Replica[],
    private readonly worker: Replica,
  ) {}

  static async open({ workers = 1, env = {} }: { workers?: number; env?: Record<string, string> } = {}) {
    const slices = await Slices.start((configuration, clock) =>
      assembled(configuration, clock, {
        modules: [WebhooksModule, WebhookWorkModule],
        readModels: [...foundationReadModels, webhooksReadModel],
        operationalTables: [],
      }),
    );
    const replicas: Replica[] = [];
    for (let n = 0; n < workers; n += 1) replicas.push(await slices.replica({ projecting: n === 0, env }));
    const [first] = replicas;
    if (first === undefined) throw new Error('there is no worker');
    for (const { clock } of replicas) clock.nowMs = first.clock.nowMs;
    return new DeliveryStage(slices, replicas, first);
  }

  get deliveries(): Deliveries {
    return this.worker.get(Deliveries);
  }

  get database(): Database {
    return this.worker.get(Database);
  }

  get store(): EventStore {
    return this.worker.get(EventStore);
  }

  get nowMs(): number {
    return this.worker.get(Clock).epochMs();
  }

  moveClock(ms: number): void {
    for (const { clock } of this.workers) clock.nowMs += ms;
  }

  /** Starts a partner that listens, and registers its endpoint. */
  async endpoint(settings: Partial<EndpointSettings> = {}): Promise<Registered> {
    const partner = await new PartnerEndpoint().listen();
    this.partners.push(partner);
    const endpointId = asId<EndpointId>(uuidV7());
    const { keyId, secret } = await this.worker.get(EndpointSecrets).make(endpointId);
    partner.secret = secret;
    const made = await this.worker.get(CommandBus).execute(
      new CreateEndpoint({
        endpointId,
        at: instantOf(this.nowMs),
        settings: { url: partner.url, types: null, payload: 'thin', description: 'x', ...settings },
        keyId,
        reason: 'a test',
        cause: testCause(),
      }),
    );
    if (!made.ok) throw new Error(JSON.stringify(made.refusal));
    return { endpointId, partner };
  }

  async enable({ endpointId }: Registered): Promise<void> {
    const request = { endpointId, settings: {}, enabled: true, reason: 'a test', cause: testCause() };
    const changed = await this.worker.get(CommandBus).execute(new ChangeEndpoint(request));
    if (!changed.ok) throw new Error(JSON.stringify(changed.refusal));
  }

  async remove({ endpointId }: Registered): Promise<void> {
    const removed = await this.worker.get(CommandBus).execute(new DeleteEndpoint(endpointId, 'a test', testCause()));
    if (!removed.ok) throw new Error(JSON.stringify(removed.refusal));
  }

  /** Waits until the fan-out knows an endpoint. */
  async untilKnown(endpointId: EndpointId): Promise<void> {
    await until('the endpoint', async () => {
      const targets = await this.worker.get(FanOutTables).targets();
      return targets.find((target) => target.endpointId === endpointId);
    });
  }

  async journal(): Promise<ScriptedJournal> {
    return ScriptedJournal.begin(this.store, instantOf(this.nowMs));
  }

  async tell(journal: ScriptedJournal, count = 1): Promise<void> {
    await journal.tell(instantOf(this.nowMs), count);
  }

  /** Every delivery of an endpoint, oldest first. */
  async listed({ endpointId }: Registered): Promise<DeliveryView[]> {
    const listed = await this.deliveries.list(endpointId, { limit: 1_000_000 });
    return listed.map(({ view }) => view).reverse();
  }

  /** Waits until an endpoint has at least `count` deliveries, and none is pending. */
  async untilDone(registered: Registered, count = 1): Promise<DeliveryView[]> {
    return until('the end of all deliveries', async () => {
      const views = await this.listed(registered);
      return views.length >= count && views.every(({ state }) => state !== 'pending') ? views : null;
    });
  }

  async close(): Promise<void> {
    for (const partner of this.partners) await partner.leave();
    await this.slices.stop();
  }
}

/** The ids that a partner has accepted, in the order of their first delivery. */
export function firstTaken({ partner }: Registered): string[] {
  return [...new Set(partner.taken.map(({ id }) => id))];
}
