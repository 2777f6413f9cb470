import { Injectable, Logger } from '@nestjs/common';
import { EventStore } from '@app/event-store';
import { Unavailable } from '@app/kernel';
import { identityHashKey, KeyDestroyed, KeyRing } from '@app/sealing';
import { identityKind } from './identity.stream';

const pageEvents = 2_000;

/** The key of identities is gone, and there are identities; the message says what to do. */
export class IdentityKeyLost extends Error {
  constructor() {
    super(
      `the key ${identityHashKey.keyId} of the table sealing_keys is missing, and the event store holds identities: under a new key, ` +
        'every user would get a second account; put the table back from where its keys are kept (docs/production.md, "Backups")',
    );
  }
}

/** The key under which identities are hashed: made once, where there are no identities yet, and never a second time. */
@Injectable()
export class IdentityKey {
  private readonly logger = new Logger(IdentityKey.name);

  constructor(
    private readonly keys: KeyRing,
    private readonly store: EventStore,
  ) {}

  /** Makes the key where there are no identities yet; called before anything of a process runs. @throws IdentityKeyLost, Unavailable */
  async ensure(): Promise<void> {
    if (await this.isLeftOut())
      this.logger.warn('the keys of this deployment were left out of its restore: no user can sign in');
  }

  /** Whether the keys were left out of a restore, so that no user can sign in. @throws IdentityKeyLost, Unavailable */
  async isLeftOut(): Promise<boolean> {
    return (await this.readOrMake()) === null;
  }

  /** Returns the key. @throws KeyDestroyed where the keys were left out of a restore; Unavailable, also where it is lost */
  async key(): Promise<Buffer> {
    const key = await this.readOrMake().catch((error: unknown) => {
      throw error instanceof IdentityKeyLost ? new Unavailable('database', { cause: error }) : error;
    });
    if (key === null) throw new KeyDestroyed(identityHashKey.keyId);
    return key;
  }

  private async readOrMake(): Promise<Buffer | null> {
    const known = await this.read();
    if (known !== undefined) return known;
    if (!(await this.hasIdentities())) return this.keys.keyOf(identityHashKey);
    // Another process may have made the key, and opened an identity, since.
    const made = await this.read();
    if (made === undefined) throw new IdentityKeyLost();
    return made;
  }

  private async read(): Promise<Buffer | null | undefined> {
    return (await this.keys.keysOf([identityHashKey.keyId])).get(identityHashKey.keyId);
  }

  /** Reads the store until the first event of an identity: once in the life of a deployment, since the key is made if there is none. */
  private async hasIdentities(): Promise<boolean> {
    for (let after = 0; ;) {
      const { events, upTo, more } = await this.store.readCategories([identityKind.category], after, pageEvents);
      if (events.length > 0) return true;
      if (!more) return false;
      after = upTo;
    }
  }
}
