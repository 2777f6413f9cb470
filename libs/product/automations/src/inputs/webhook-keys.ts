import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import { asId, parseUuid, type AutomationId, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { Sealing, type SealedTable } from '@app/runtime';
import { Configuration } from '@app/settings';
import { randomBytes } from 'node:crypto';
import { NIL } from 'uuid';
import { automationKind } from '../automation/automation.stream';

export const secretBytes = 32;
/** Sealed secrets of earlier keys are kept this long, because a concurrent rotation may be about to name its own. Real time. */
const forgottenAfter = '1 hour';

/** The sealed secrets, each bound to its key's id and its automation. */
export const webhookKeysTable: SealedTable = {
  table: 'webhook_keys',
  key: 'key_id',
  keyType: 'uuid',
  value: 'sealed',
  label: 'parley/webhook-keys/1',
  boundTo: ({ key_id, automation_id }) => [key_id, automation_id].join('/'),
};

/** A webhook's key: the automation that a signed request belongs to. */
export interface WebhookKey {
  readonly automationId: AutomationId;
  readonly userId: UserId;
  /** The automation's present activation. */
  readonly epoch: string;
  /** Whether the automation can fire: it is enabled and not held. */
  readonly awake: boolean;
}

interface SealedKey {
  readonly key_id: string;
  readonly automation_id: AutomationId;
  readonly sealed: Buffer;
}

/** Secrets of automations' webhooks, sealed in PostgreSQL; the automation's stream names the present key. All methods throw Unavailable. */
@Injectable()
export class WebhookKeys {
  private readonly sealing: Sealing;
  /** Used in place of a missing key: its secret is random and discarded, and is opened and compared like any other. */
  private readonly nobodys: SealedKey;

  constructor(
    private readonly states: FoldedStates,
    private readonly database: Database,
    configuration: Configuration,
  ) {
    this.sealing = new Sealing(configuration, webhookKeysTable.label);
    const nobody = asId<AutomationId>(NIL);
    const sealed = this.sealing.seal(randomBytes(secretBytes), boundTo(NIL, nobody));
    this.nobodys = { key_id: NIL, automation_id: nobody, sealed };
  }

  /** Seals a key's secret, before the event that names the key. */
  async keep(keyId: string, automationId: AutomationId, secret: Uint8Array): Promise<void> {
    await this.database.query('INSERT INTO webhook_keys (key_id, automation_id, sealed) VALUES ($1, $2, $3)', [
      keyId,
      automationId,
      this.sealing.seal(secret, boundTo(keyId, automationId)),
    ]);
  }

  /** Deletes a key that no event names. */
  async drop(keyId: string): Promise<void> {
    await this.database.query('DELETE FROM webhook_keys WHERE key_id = $1', [keyId]);
  }

  /** Deletes the automation's earlier keys, except those of the last hour. */
  async forgetBefore(keyId: string, automationId: AutomationId): Promise<void> {
    await this.database.query(
      'DELETE FROM webhook_keys WHERE automation_id = $1 AND key_id <> $2 AND created_at < now() - $3::interval',
      [automationId, keyId, forgottenAfter],
    );
  }

  /**
   * The key of that id if the request is signed with its secret, and it is the present key of an automation that is not
   * archived; else null. Until the signature is verified, existing and missing keys cost the same work, so that timing
   * does not reveal which keys exist.
   */
  async find(id: string, isSignedWith: (secret: Uint8Array) => boolean): Promise<WebhookKey | null> {
    const [stored = this.nobodys] = await this.database.query<SealedKey>(
      'SELECT key_id, automation_id, sealed FROM webhook_keys WHERE key_id = $1',
      [parseUuid(id) ?? NIL],
      'webhook_keys.find',
    );
    const { key_id: keyId, automation_id: automationId, sealed } = stored;
    if (!isSignedWith(this.sealing.open(sealed, boundTo(keyId, automationId))) || stored === this.nobodys) return null;
    const { state } = await this.states.fresh(automationKind, automationId);
    if (state === null || state.webhookKeyId !== keyId || state.state === 'archived') return null;
    const { userId, epoch, held } = state;
    return { automationId, userId, epoch, awake: state.state === 'enabled' && !held };
  }
}

function boundTo(keyId: string, automationId: AutomationId): string {
  return webhookKeysTable.boundTo({ key_id: keyId, automation_id: automationId });
}
