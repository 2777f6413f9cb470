import { Injectable } from '@nestjs/common';
import { FoldedStates, Streams } from '@app/event-store';
import {
  asId,
  Clock,
  ok,
  parseUuid,
  refuse,
  type AutomationId,
  type Cause,
  type Result,
  type UserId,
} from '@app/kernel';
import { Database } from '@app/read-store';
import { Configuration, Sealing } from '@app/runtime';
import { shape, text, uuid, type Shaped } from '@app/schema';
import { randomBytes } from 'node:crypto';
import { NIL, v7 as uuidV7 } from 'uuid';
import { definitionVersion } from '../definition/automation-shapes';
import { automationKind } from '../automation/automation.stream';

const secretBytes = 32;
/** Sealed secrets of earlier keys are kept this long: another rotation may be on its way with its own. Real time. */
const forgottenAfter = '1 hour';

/** What `automations.rotateWebhookSecret` answers: the secret is shown this once. */
export const WebhookSecret = shape('WebhookSecret', {
  secret: text({
    pattern: /^[A-Za-z0-9_-]{43}$/,
    description: 'The 32 bytes of the signing key in base64url, without `-` and `_`; shown this once',
  }),
  signingSecret: text({
    pattern: /^whsec_[A-Za-z0-9+/]{43}=$/,
    description: 'The same bytes as the libraries of Standard Webhooks take them: `whsec_` and standard base64',
  }),
  keyId: uuid(),
  path: text({ pattern: /^\/hooks\/v1\/[0-9a-f-]{36}$/, description: "Where the automation's events are delivered" }),
  definitionVersion,
});
export type WebhookSecret = Shaped<typeof WebhookSecret>;

/**
 * Bytes that both alphabets of base64 spell alike. The libraries of Standard Webhooks read the standard one only, and are given
 * `secret` as often as `signingSecret`. Takes four tries on average, and two of the 256 bits.
 */
function newSecret(): Buffer {
  for (;;) {
    const secret = randomBytes(secretBytes);
    if (!/[-_]/.test(secret.toString('base64url'))) return secret;
  }
}

/** Where a signed request of a webhook belongs. */
export interface WebhookKey {
  readonly automationId: AutomationId;
  readonly userId: UserId;
  /** The automation's present activation. */
  readonly epoch: string;
  /** Whether the automation can fire: it is enabled, and nobody holds it. */
  readonly awake: boolean;
}

interface SealedKey {
  readonly key_id: string;
  readonly automation_id: AutomationId;
  readonly sealed: Buffer;
}

/** Secrets of automations' webhooks: sealed in PostgreSQL, while the stream says which key is the present one. All throw Unavailable. */
@Injectable()
export class WebhookKeys {
  private readonly sealing: Sealing;
  /** Stands in where there is no key: a secret that nobody has, opened and tried as every other. */
  private readonly nobodys: SealedKey;

  constructor(
    private readonly streams: Streams,
    private readonly states: FoldedStates,
    private readonly database: Database,
    private readonly clock: Clock,
    configuration: Configuration,
  ) {
    this.sealing = new Sealing(configuration, 'parley/webhook-keys/1');
    const nobody = asId<AutomationId>(NIL);
    const sealed = this.sealing.seal(randomBytes(secretBytes), boundTo(NIL, nobody));
    this.nobodys = { key_id: NIL, automation_id: nobody, sealed };
  }

  /**
   * Mints another key and secret; the earlier ones are refused from the next request on. Refuses with `not_found`, and with
   * `automation_changed`: another revision, not enabled, or no event wake.
   */
  async rotate(
    {
      userId,
      automationId,
      cause,
    }: { readonly userId: UserId; readonly automationId: AutomationId; readonly cause: Cause },
    revision: string,
  ): Promise<Result<WebhookSecret>> {
    const keyId = uuidV7();
    const secret = newSecret();
    // Before the event, so that a key that the stream names has its secret.
    await this.database.query('INSERT INTO webhook_keys (key_id, automation_id, sealed) VALUES ($1, $2, $3)', [
      keyId,
      automationId,
      this.sealing.seal(secret, boundTo(keyId, automationId)),
    ]);
    const command = { type: 'RotateWebhookKey', at: this.clock.now(), userId, revision, keyId } as const;
    const done = await this.streams.decide(automationKind, automationId, command, cause, { visible: true });
    if (!done.ok || done.value.state === null) {
      await this.database.query('DELETE FROM webhook_keys WHERE key_id = $1', [keyId]);
      return done.ok ? refuse({ kind: 'not_found' }) : refuse(done.refusal);
    }
    await this.forgetOld(automationId, keyId);
    const path = `/hooks/v1/${keyId}`;
    const { definitionVersion: version } = done.value.state;
    const signingSecret = `whsec_${secret.toString('base64')}`;
    return ok({ secret: secret.toString('base64url'), signingSecret, keyId, path, definitionVersion: version });
  }

  /**
   * The key of that id, as long as the request is signed with its secret and it is the present one of an automation that is not
   * archived; else null. Until the signature is known to be good, as much is done for a key that there is as for any other, so that
   * nobody learns from the time that it takes which keys there are.
   */
  async find(id: string, isSignedWith: (secret: Uint8Array) => boolean): Promise<WebhookKey | null> {
    const [stored = this.nobodys] = await this.database.query<SealedKey>(
      'SELECT key_id, automation_id, sealed FROM webhook_keys WHERE key_id = $1',
      [parseUuid(id) ?? NIL],
      'webhook_keys.find',
    );
    const { key_id: keyId, automation_id: automationId, sealed } = stored;
    if (!isSignedWith(this.sealing.open(sealed, boundTo(keyId, automationId))) || stored === this.nobodys) return null;
    const { state } = await this.states.current(automationKind, automationId);
    if (state === null || state.webhookKeyId !== keyId || state.state === 'archived') return null;
    const { userId, epoch, held } = state;
    return { automationId, userId, epoch, awake: state.state === 'enabled' && !held };
  }

  private async forgetOld(automationId: AutomationId, keyId: string): Promise<void> {
    await this.database.query(
      'DELETE FROM webhook_keys WHERE automation_id = $1 AND key_id <> $2 AND created_at < now() - $3::interval',
      [automationId, keyId, forgottenAfter],
    );
  }
}

function boundTo(keyId: string, automationId: AutomationId): string {
  return `${keyId}/${automationId}`;
}
