import { Injectable, type PipeTransform } from '@nestjs/common';
import type { Caller } from '@app/http';
import type { Cause, UserId } from '@app/kernel';
import { Configuration } from '@app/settings';
import { mainAccountOf } from './main-account';

/** The owner of a wallet, with the main account from the owner's token; null when the token names none. */
export interface Owner {
  readonly userId: UserId;
  readonly mainAccountId: string | null;
  readonly cause: Cause;
}

/** The caller as the owner of a wallet: `@Caller(AsOwner) owner: Owner`. */
@Injectable()
export class AsOwner implements PipeTransform<Caller, Owner> {
  constructor(private readonly configuration: Configuration) {}

  transform({ userId, claims, cause }: Caller): Owner {
    return { userId, mainAccountId: mainAccountOf(this.configuration, userId, claims), cause };
  }
}
