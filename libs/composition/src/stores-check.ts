import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StoresIdentity } from '@app/audit';
import { DamagedStream, Unavailable } from '@app/kernel';
import { IdentityKey } from '@app/users';
import { ConstantBackoff, handleType, retry } from 'cockatiel';

/** Repeats the check during an election or some busy seconds, which would otherwise restart the whole process. */
const insisting = retry(
  handleType(Unavailable, (error) => !(error instanceof DamagedStream)),
  { maxAttempts: 30, backoff: new ConstantBackoff(500) },
);

/** Checks that the two stores belong to one deployment, and that its users can be found, before anything of the process runs. */
@Injectable()
export class StoresCheck implements OnModuleInit {
  constructor(
    private readonly stores: StoresIdentity,
    private readonly identityKey: IdentityKey,
  ) {}

  /** @throws OtherStore; IdentityKeyLost; Unavailable for a store that does not answer within a quarter of a minute; DamagedStream */
  async onModuleInit(): Promise<void> {
    await insisting.execute(() => this.stores.ensure());
    await insisting.execute(() => this.identityKey.ensure());
  }
}
