import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { parseUuid, type OperationId, failureWords } from '@app/kernel';
import { Database, Notifications, runReactor } from '@app/read-store';
import { OperationDriver } from '@app/wallets';
import { ExpireApprovals } from './expire-approvals';
import { OperationCopies } from './operation-copies';

/** How often a worker looks for pending approvals without a timer. Real time. */
const sweepEveryMs = 30_000;
/** On it a provider's callback says that there is news of a submission; the payload is its key. */
const settlementsChannel = 'parley_settlements';

/** Work at hand at once; a hint that comes on top is dropped, since the driver asks by itself in time. */
const inHandMax = 64;

/** What a worker process does about approvals and their operations: expiry, copies into the journal, providers' callbacks. */
@Injectable()
export class ApprovalWork implements OnApplicationBootstrap, OnModuleDestroy {
  private readonly logger = new Logger(ApprovalWork.name);
  private readonly stopping = new AbortController();
  private readonly inHand = new Set<Promise<void>>();
  private timer: NodeJS.Timeout | undefined;
  private stopListening: () => void = () => undefined;

  constructor(
    private readonly expiry: ExpireApprovals,
    private readonly copies: OperationCopies,
    private readonly driver: OperationDriver,
    private readonly database: Database,
    private readonly store: EventStore,
    private readonly notifications: Notifications,
  ) {}

  onApplicationBootstrap(): void {
    this.keep('copies', runReactor(this.database, this.store, this.copies, this.stopping.signal));
    this.timer = setInterval(() => this.keep('missing timers', this.expiry.sweep()), sweepEveryMs);
    this.stopListening = this.notifications.on(settlementsChannel, (key) => this.wakeDriver(key));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopListening();
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all(this.inHand);
  }

  /** A hint, and no more: it may come twice, for nothing, or not at all; the driver asks the provider itself. */
  private wakeDriver(submissionKey: string): void {
    const operationId = parseUuid<OperationId>(submissionKey.split('/')[0]);
    if (operationId !== null && this.inHand.size < inHandMax) this.keep('a settlement', this.driver.wake(operationId));
  }

  /** Failures here are made good by the next sweep, or by the driver's own timer. */
  private keep(what: string, work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => this.logger.warn(`${what}: ${failureWords(error)}`),
    );
    this.inHand.add(done);
    void done.then(() => this.inHand.delete(done));
  }
}
