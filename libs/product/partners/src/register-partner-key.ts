import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { ok, refuse, type Cause, type Instant, type Result } from '@app/kernel';
import type { NewPartnerKey } from './new-partner-key';
import { partnerKeyKind } from './partner-key.stream';

/**
 * Registers a partner's integration by the hash of its key, so that the caller need not know the key. Idempotent.
 * Refuses with `invalid_input` (label, reason).
 */
export class RegisterPartnerKey extends Command<Result<void>> {
  constructor(
    readonly request: Omit<NewPartnerKey, 'key'> & {
      readonly at: Instant;
      /** 1 to 100 code points; for operators. */
      readonly label: string;
      /** Whether it may read the feed of all users. */
      readonly feed: boolean;
      /** The operator's reason, 1 to 500 code points; stored in the event. */
      readonly reason: string;
      readonly cause: Cause;
    },
  ) {
    super();
  }
}

@CommandHandler(RegisterPartnerKey)
export class RegisterPartnerKeyHandler implements ICommandHandler<RegisterPartnerKey> {
  constructor(private readonly streams: Streams) {}

  async execute({ request: { keyId, cause, ...key } }: RegisterPartnerKey): Promise<Result<void>> {
    const { at, label, keyHash, feed, reason } = key;
    const command = { type: 'MintKey', at, label, keyHash, feed, reason } as const;
    const done = await this.streams.decide(partnerKeyKind, keyId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}
