import { Injectable, type OnModuleInit } from '@nestjs/common';
import { StoresIdentity } from '@app/audit';

/** Looks whether the two stores are of one deployment, before anything of the process runs. */
@Injectable()
export class StoresCheck implements OnModuleInit {
  constructor(private readonly stores: StoresIdentity) {}

  /** @throws OtherStore, Unavailable */
  async onModuleInit(): Promise<void> {
    await this.stores.ensure();
  }
}
