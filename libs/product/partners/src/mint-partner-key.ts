import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { partnerKeyForm } from '@app/http';
import { asId, Clock, invalid, ok, refuse } from '@app/kernel';
import type { Cause, Instant, PartnerKeyId, Result } from '@app/kernel';
import { createHash, randomBytes } from 'node:crypto';
import { v5 as uuidV5, v7 as uuidV7 } from 'uuid';
import { partnerKeyKind } from './partner-key.stream';

const keyBytes = 32;

/** A partner key that is not registered yet. */
interface NewPartnerKey {
  readonly keyId: PartnerKeyId;
  /** For its partner alone. */
  readonly key: string;
  /** The lower-case hex SHA-256 of the key, which is stored in its place. */
  readonly keyHash: string;
}

/** Generates a random key. */
export function newPartnerKey(): NewPartnerKey {
  const key = `pk_${randomBytes(keyBytes).toString('base64url')}`;
  return { keyId: asId<PartnerKeyId>(uuidV7()), key, keyHash: hashOf(key) };
}

/** The hash by which a key is stored. */
function hashOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

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
class MintPartnerKeyHandler implements ICommandHandler<MintPartnerKey> {
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
class RegisterPartnerKeyHandler implements ICommandHandler<RegisterPartnerKey> {
  constructor(private readonly streams: Streams) {}

  async execute({ request: { keyId, cause, ...key } }: RegisterPartnerKey): Promise<Result<void>> {
    const { at, label, keyHash, feed, reason } = key;
    const command = { type: 'MintKey', at, label, keyHash, feed, reason } as const;
    const done = await this.streams.decide(partnerKeyKind, keyId, command, cause, { visible: true });
    return done.ok ? ok(undefined) : refuse(done.refusal);
  }
}

export const mintHandlers = [MintPartnerKeyHandler, RegisterPartnerKeyHandler];
