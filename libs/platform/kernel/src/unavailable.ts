/**
 * A dependency did not answer, so it is unknown whether anything happened. Answered as 503 `internal` with `retryable: true`
 * (docs/decisions/conventions.md, "Problems"), unless the thrower names a different reason.
 */
export class Unavailable extends Error {
  constructor(
    readonly dependency:
      | 'event store'
      | 'database'
      | 'identity provider'
      | 'execution engine'
      | 'wallet provider'
      | 'artifact store'
      | 'bucket'
      | 'service',
    options?: ErrorOptions & { readonly reason?: 'engine_unavailable' | 'provider_unavailable' },
  ) {
    super(`the ${dependency} did not answer`, options);
    this.reason = options?.reason;
  }

  readonly reason: 'engine_unavailable' | 'provider_unavailable' | undefined;
}

/** The dependency answers, but ended a call that took too long; the same call may fail like this each time. */
export class TookTooLong extends Unavailable {}

/** A change is recorded, but requests are still judged by a read model that has not taken it: it takes effect once that one follows. */
export class NotInEffect extends Unavailable {
  constructor(readModel: string) {
    super('database');
    this.message = `the change is recorded, and takes effect once the read model ${readModel} has taken it, which is behind or stalled`;
  }
}

/**
 * Damage that an administrator of the event store, or another program, did to a stream. `tombstoned`: it is gone for good. `deleted`: it
 * was soft-deleted. `truncated`: its first events, or some in the middle, are hidden or gone. `foreign`: it contains an event that this
 * product did not write.
 */
export type StreamDamage = 'tombstoned' | 'deleted' | 'truncated' | 'foreign';

/**
 * A stream is not whole, so nothing is folded from it or decided on it. Only that stream is affected: the store answers, and retrying does
 * not help before an operator has acted (docs/runbook.md, "ParleyStreamDamaged").
 */
export class DamagedStream extends Unavailable {
  /** @param from the first readable revision of a truncated stream; the revision of the event in a foreign one; otherwise null */
  constructor(
    readonly stream: string,
    readonly damage: StreamDamage,
    readonly from: number | null = null,
  ) {
    super('event store');
    this.message = `stream ${stream} ${damageInWords(damage, from)}`;
  }

  /**
   * Whether the stream's object is gone for good, so that retrying does not help. Never true for the deployment's singleton streams: the
   * calls of all users need them, and no path names them.
   */
  get isGone(): boolean {
    return this.damage === 'tombstoned' && !isOfDeployment(this.stream);
  }
}

const ofDeployment: readonly string[] = ['audit-checkpoints', 'deployment-main', 'operator-log'];

/** Whether it is one of the deployment's singleton streams. */
export function isOfDeployment(stream: string): boolean {
  return ofDeployment.includes(stream);
}

function damageInWords(damage: StreamDamage, from: number | null): string {
  switch (damage) {
    case 'tombstoned':
      return 'was tombstoned: it is gone for good';
    case 'deleted':
      return 'was deleted in the event store: its events are hidden or gone';
    case 'truncated':
      return from === null ? 'misses events' : `misses events before revision ${from}`;
    case 'foreign':
      return `holds an event that is not one of this product's, at revision ${from ?? 0}`;
  }
}
