import { failureWords } from '@app/kernel';
import { Injectable, Logger, type OnModuleDestroy, type OnModuleInit } from '@nestjs/common';
import { Database, Notifications } from '@app/read-store';
import { ModelFaults, type ModelFault } from '@app/rules-model';

/** Notified when the faults change; every process then reads them. */
const faultsChannel = 'parley_faults';

/** The faults that are set in this sandbox, the same in every process of the deployment. */
@Injectable()
export class SandboxFaults extends ModelFaults implements OnModuleInit, OnModuleDestroy {
  private readonly logger = new Logger(SandboxFaults.name);
  private model: ModelFault = { delayMs: null, fail: false };
  private stopListening: () => void = () => undefined;
  private reading: Promise<void> = Promise.resolve();

  constructor(
    private readonly database: Database,
    private readonly notifications: Notifications,
  ) {
    super();
  }

  override current(): ModelFault {
    return this.model;
  }

  /** Listens before it reads, so that no change is missed. */
  async onModuleInit(): Promise<void> {
    const refresh = (): void => {
      // The faults stay unchanged; a deployment without its database has worse problems than a missed fault.
      this.refresh().catch((error: unknown) => this.logger.warn(`the faults were not read: ${failureWords(error)}`));
    };
    this.stopListening = this.notifications.on(faultsChannel, refresh);
    this.notifications.onReconnected(refresh);
    await this.refresh();
  }

  onModuleDestroy(): void {
    this.stopListening();
  }

  /**
   * Sets the given faults and keeps the others. They are in effect in this process on return, and in the others a
   * moment later. @throws Unavailable
   */
  async change(model: Partial<ModelFault>): Promise<ModelFault> {
    await this.database.query(
      `WITH changed AS (UPDATE sandbox_state SET value = value || $1::jsonb WHERE name = 'model_faults' RETURNING 1)
       SELECT pg_notify('${faultsChannel}', '') FROM changed`,
      [JSON.stringify(model)],
    );
    await this.refresh();
    return this.model;
  }

  /** One read after the other, so that the last result is the newest. */
  private refresh(): Promise<void> {
    const read = this.reading.then(() => this.read());
    this.reading = read.catch(() => undefined); // the caller gets the error
    return read;
  }

  private async read(): Promise<void> {
    const [row] = await this.database.query<{ value: ModelFault }>(
      `SELECT value FROM sandbox_state WHERE name = 'model_faults'`,
    );
    this.model = row?.value ?? this.model;
  }
}
