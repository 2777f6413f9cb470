import { Injectable } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { Transact } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type PartnerKeyId, type Result } from '@app/kernel';
import { ReadGate } from '@app/read-store';
import { partnerKeyKind } from './partner-key.stream';

export interface RevokeRequest {
  readonly keyId: PartnerKeyId;
  readonly cause: Cause;
  /** Why, 1 to 500 code points; kept in the event. */
  readonly reason?: string;
}

/** Ends what a partner key admits, for good. */
@Injectable()
export class RevokePartnerKey {
  constructor(
    private readonly commands: CommandBus,
    private readonly clock: Clock,
    private readonly gate: ReadGate,
  ) {}

  /** Also when repeated. Replicas that admitted the key lately stop within 30 s. Refuses with `not_found`, `invalid_input` (reason). */
  async revoke({ keyId, cause, reason }: RevokeRequest): Promise<Result<void>> {
    const command = { type: 'RevokeKey', at: this.clock.now(), reason: reason ?? null } as const;
    const done = await this.commands.execute(new Transact(partnerKeyKind, keyId, command, cause));
    if (!done.accepted) return refuse(done.refusal);
    await this.gate.waitForProjection(done.position);
    return ok(undefined);
  }
}
