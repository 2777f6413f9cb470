import { Injectable, Logger, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { failureWords, parseUuid, type OperationId } from '@app/kernel';
import { Notifications, Reactors } from '@app/read-store';
import { OperationDriver } from '@app/wallets';
import { ExpireApprovals } from './approval/expire-approvals';
import { OperationCopies } from './operation-copies';

/** How often a worker polls for pending approvals without a timer. Real time. */
const sweepEveryMs = 30_000;
/** The channel on which a provider's callback announces news of a submission; the payload is its key. */
const settlementsChannel = 'parley_settlements';

/** Most tasks in flight; a further hint is dropped, since the driver asks the provider by itself in time. */
const inHandMax = 64;

/** A worker process's duties for approvals and their operations: expiry, copies into the journal, providers' callbacks. */
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
    private readonly reactors: Reactors,
    private readonly notifications: Notifications,
  ) {}

  onApplicationBootstrap(): void {
    this.keep('copies', this.reactors.run(this.copies, this.stopping.signal));
    this.timer = setInterval(() => this.keep('missing timers', this.expiry.sweep()), sweepEveryMs);
    this.stopListening = this.notifications.on(settlementsChannel, (key) => this.wakeDriver(key));
  }

  async onModuleDestroy(): Promise<void> {
    this.stopListening();
    clearInterval(this.timer);
    this.stopping.abort();
    await Promise.all(this.inHand);
  }

  /** Only a hint, which may arrive twice, without news, or not at all; the driver asks the provider itself. */
  private wakeDriver(submissionKey: string): void {
    const operationId = parseUuid<OperationId>(submissionKey.split('/')[0]);
    if (operationId !== null && this.inHand.size < inHandMax) this.keep('a settlement', this.driver.wake(operationId));
  }

  /** The next sweep, or the driver's own timer, repairs failures here. */
  private keep(what: string, work: Promise<unknown>): void {
    const done = work.then(
      () => undefined,
      (error: unknown) => this.logger.warn(`${what}: ${failureWords(error)}`),
    );
    this.inHand.add(done);
    void done.then(() => this.inHand.delete(done));
  }
}
