import { beginningStatement, checkpointsStream, LogIdentity, SealedCopyLog } from '@app/audit';
import { opensSealed } from '@app/composition';
import { readSecrets } from '@app/data-folder';
import { CannotMigrate, forgetSnapshots, hasSameBytes, type CopyForm, type VerbatimEvent } from '@app/event-migration';
import type { ReceivedEvent } from '@app/event-store';
import { instantOf } from '@app/kernel';
import { CannotSeal, hasClearWords, SealedCopies } from '@app/operators';
import { PostgresKeys, sealingKeysTable, type Database } from '@app/read-store';
import { Sealing } from '@app/runtime';
import { KeyRing } from '@app/sealing';
import { Configuration } from '@app/settings';
import { CommandFailed } from '../terminal/outcome';

/**
 * `parley migrate-events --seal`: the copy of a store that has words of persons in clear, as earlier versions stored them. The words are
 * sealed under keys in the database, and the copy ends with the event that begins its own log (docs/decisions/personal-data.md).
 */
export class SealedCopy {
  /** Number of events with words in clear that were counted. */
  clear = 0;
  private readonly log = new SealedCopyLog();
  private readonly keys: KeyRing;
  private origin: string | null = null;

  private constructor(database: Database, configuration: Configuration) {
    this.keys = new KeyRing(new PostgresKeys(database, new Sealing(configuration, sealingKeysTable.label)));
  }

  /** @throws CommandFailed without the secret key of the database, or while its log is held; Unavailable */
  static async begin(database: Database, { env }: Configuration): Promise<SealedCopy> {
    const { PARLEY_DATA_DIR: dataDir, PARLEY_SECRET_KEY = (await readSecrets(dataDir))?.secretKey } = env;
    if (PARLEY_SECRET_KEY === undefined)
      throw new CommandFailed(
        'PARLEY_SECRET_KEY is not set: it wraps the keys of the words, so set that of the service',
      );
    const configuration = new Configuration({ ...env, PARLEY_SECRET_KEY });
    if (!(await opensSealed(database, configuration)))
      throw new CommandFailed('PARLEY_SECRET_KEY does not open what is sealed here: set that of the service');
    await refuseHeldLog(new LogIdentity(database));
    return new SealedCopy(database, configuration);
  }

  /** The name of the copy's log; null where the log goes on as it is, because it has decided on no tree. */
  get newOrigin(): string | null {
    return this.origin;
  }

  /** Takes each event of the source, in order, before it is copied. */
  count(event: VerbatimEvent): void {
    const received = receivedForm(event);
    if (event.stream === checkpointsStream) this.log.take(received);
    if (hasClearWords(received)) this.clear += 1;
  }

  /** The form of the copy of what was counted. */
  form(): CopyForm {
    const copies = new SealedCopies(this.keys);
    const begins = this.log.beginning(instantOf(Date.now()));
    const is = (there: VerbatimEvent): boolean => {
      const origin = this.log.begunBy(receivedForm(there));
      this.origin = origin ?? this.origin;
      return origin !== null;
    };
    return {
      copyOf: (event) => sealing(async () => ({ ...event, ...(await copies.copyOf(receivedForm(event))) })),
      isCopy: (event, there) =>
        sealing(
          async () => (await copies.isCopy(receivedForm(event), receivedForm(there))) ?? hasSameBytes(event, there),
        ),
      closing: begins && { event: begins, is },
    };
  }

  /** Statements of the switch to the copy: no folded state has words in clear afterwards, and the log has its new name. */
  statements(): readonly { readonly text: string; readonly values: readonly unknown[] }[] {
    return [forgetSnapshots, ...(this.origin === null ? [] : [beginningStatement(this.origin)])];
  }

  close(): void {
    this.keys.close();
  }
}

/** @throws CommandFailed when the log signs nothing until an operator says what it is */
async function refuseHeldLog(identity: LogIdentity): Promise<void> {
  const [hold, { resuming }] = await Promise.all([identity.hold(), identity.row()]);
  if (hold === null && resuming === null) return;
  const why = hold?.says ?? 'it is being resumed';
  throw new CommandFailed(
    `the log is held (${why}), and the copy would begin another one: start the service, and say parley audit resume first`,
  );
}

function receivedForm(event: VerbatimEvent): ReceivedEvent {
  const { stream, type, id, contentType, revision, position, data, metadata } = event;
  return {
    kind: 'event',
    stream,
    revision: Number(revision),
    position: Number(position),
    id,
    type,
    isJson: contentType === 'application/json',
    data: Buffer.from(data),
    metadata: Buffer.from(metadata),
  };
}

async function sealing<Value>(work: () => Promise<Value>): Promise<Value> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof CannotSeal ? new CannotMigrate(error.message) : error;
  }
}
