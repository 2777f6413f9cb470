import type { UserId } from '@app/kernel';
import { KeyStore, type KeyId, type SealedFor } from '@app/sealing';
import { randomBytes } from 'node:crypto';

/** Keys in memory, as a table would hold them; a key of a conversation is as random as a user's. */
export class MemoryKeys extends KeyStore {
  private readonly keys = new Map<KeyId, Buffer | null>();
  private readonly owners = new Map<KeyId, UserId | null>();
  /** How often keys were read or made. */
  reads = 0;

  /** @param makesAll whether a key that is read exists, as if words had been sealed under it before */
  constructor(private readonly makesAll = false) {
    super();
  }

  override async read(ids: readonly KeyId[]): Promise<ReadonlyMap<KeyId, Buffer | null>> {
    this.reads += 1;
    if (this.makesAll) for (const id of ids) this.ensure(id);
    return new Map(ids.flatMap((id) => (this.keys.has(id) ? [[id, this.keys.get(id) ?? null] as const] : [])));
  }

  override async make({ keyId, userId }: SealedFor): Promise<Buffer | null> {
    this.reads += 1;
    if (!this.owners.has(keyId)) this.owners.set(keyId, userId);
    this.ensure(keyId);
    return this.keys.get(keyId) ?? null;
  }

  override async ownerOf(id: KeyId): Promise<UserId | null> {
    return this.owners.get(id) ?? null;
  }

  private ensure(id: KeyId): void {
    if (!this.keys.has(id)) this.keys.set(id, randomBytes(32));
  }

  destroy(id: KeyId): void {
    this.keys.set(id, null);
  }
}
