import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { Streams } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type PartnerKeyId, type Result } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { StoredPartnerKeys } from './partner-key.queries';
import { partnerKeyKind } from './partner-key.stream';

interface RevokeRequest {
  readonly keyId: PartnerKeyId;
  readonly cause: Cause;
  /** The operator's reason, 1 to 500 code points; stored in the event. */
  readonly reason?: string;
}

/**
 * Revokes a partner key for good; idempotent. This process stops admitting the key at once; replicas that admitted it
 * lately stop within 30 s. Refuses with `not_found`, `invalid_input` (reason).
 * @throws NotInEffect where the read model of keys still admits it
 */
export class RevokePartnerKey extends Command<Result<void>> {
  constructor(readonly request: RevokeRequest) {
    super();
  }
}

@CommandHandler(RevokePartnerKey)
export class RevokePartnerKeyHandler implements ICommandHandler<RevokePartnerKey> {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly keys: StoredPartnerKeys,
    private readonly gate: ReadGate,
  ) {}

  async execute({ request: { keyId, cause, reason } }: RevokePartnerKey): Promise<Result<void>> {
    const command = { type: 'RevokeKey', at: this.clock.now(), reason: reason ?? null } as const;
    const done = await this.streams.decide(partnerKeyKind, keyId, command, cause, { visible: true });
    if (!done.ok) return refuse(done.refusal);
    this.keys.tellRevoked(keyId);
    await this.gate.untilInEffect('partner_keys', async () => !(await this.keys.live([keyId])).has(keyId));
    return ok(undefined);
  }
}
