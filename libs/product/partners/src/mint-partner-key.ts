import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import {
  asId,
  Clock,
  invalid,
  ok,
  refuse,
  type Cause,
  type Instant,
  type PartnerKeyId,
  type Result,
} from '@app/kernel';
import { partnerKeyForm } from '@app/http';
import { v5 as uuidV5 } from 'uuid';
import { hashOf, newPartnerKey, type NewPartnerKey } from './new-partner-key';
import { partnerKeyKind } from './partner-key.stream';

/** Namespace for the ids of given keys, so that the same key always has the same stream. */
const givenKeyNamespace = '8f6c1c1e-5d0f-4a76-9d53-6f1a3f0b7a41';

interface MintRequest {
  /** 1 to 100 code points; for operators. */
  readonly label: string;
  readonly cause: Cause;
  /** Whether it may read the feed of all users; a given key that was minted without it gets it. False when absent. */
  readonly feed?: boolean;
  /** An existing key in our format (the sandbox keeps its own); absent: a new one. */
  readonly key?: string;
  /** The operator's reason, 1 to 500 code points; stored in the event. */
  readonly reason?: string;
}

interface MintedPartnerKey {
  readonly keyId: PartnerKeyId;
  /** Shown only here: the store has just its hash. */
  readonly key: string;
  readonly label: string;
  readonly createdAt: Instant;
}

/**
 * Registers a partner's integration by a key (specification, "Authentication", rule 4): mints one, or makes sure that
 * the given one exists. Requests with the key are admitted from then on, within 10 s where one was refused before.
 * Refuses with `invalid_input` (label, key, reason), or `partner_key_invalid` when the given key was revoked.
 */
export class MintPartnerKey extends Command<Result<MintedPartnerKey>> {
  constructor(readonly request: MintRequest) {
    super();
  }
}

@CommandHandler(MintPartnerKey)
export class MintPartnerKeyHandler implements ICommandHandler<MintPartnerKey> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
  ) {}

  async execute({ request }: MintPartnerKey): Promise<Result<MintedPartnerKey>> {
    const { label, cause, feed = false, key: given, reason } = request;
    if (given !== undefined && !partnerKeyForm.test(given))
      return refuse(invalid('/key', 'must be pk_ and 43 characters'));
    const { keyId, key, keyHash } = given === undefined ? newPartnerKey() : givenPartnerKey(given);
    const command = { type: 'MintKey', at: this.clock.now(), label, keyHash, feed, reason: reason ?? null } as const;
    const done = await this.streams.decide(partnerKeyKind, keyId, command, cause, {
      read: given === undefined ? 'assume-new' : 'cached',
      visible: true,
    });
    if (!done.ok) return refuse(done.refusal);
    const { state } = done.value;
    if (state.status === 'absent') throw new Error(`the minted key ${keyId} is absent`);
    return ok({ keyId, key, label: state.label, createdAt: state.mintedAt });
  }
}

function givenPartnerKey(key: string): NewPartnerKey {
  const keyHash = hashOf(key);
  return { keyId: asId<PartnerKeyId>(uuidV5(keyHash, givenKeyNamespace)), key, keyHash };
}
