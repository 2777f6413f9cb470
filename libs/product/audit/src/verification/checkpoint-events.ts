import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import type { EventBytes } from '../log/covered-events';
import type { Claim } from './claims';

/** The contents of the stream `audit-checkpoints`. */
export interface StoredClaims {
  readonly origin: string | null;
  readonly claims: readonly Claim[];
  /** Public keys that signed, as named in the stream. */
  readonly keys: readonly string[];
  /** The origins of the logs that this one was copied from, oldest first. */
  readonly formerOrigins: readonly string[];
  /** The logs over the same events as they were before their words were sealed, oldest first. */
  readonly beforeSealing: readonly BeforeSealing[];
  readonly problems: readonly { readonly revision: number; readonly says: string }[];
}

/** The last tree of a log over events that were sealed since. */
export interface BeforeSealing {
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** Revision of the event of `audit-checkpoints` that holds it. */
  readonly revision: number;
}

interface Signed {
  readonly where: string;
  readonly size: number;
  readonly fixed: Claim['fixed'];
  readonly origin: string | null;
  isOfOtherLeaves: boolean;
  note: string;
  witnesses: string[];
}

/** Reads the checkpoints' own events. Each must be an event of ours, in an order that the log can have written. */
export class CheckpointEvents {
  private origin: string | null = null;
  private readonly formerOrigins: string[] = [];
  private readonly beforeSealing: BeforeSealing[] = [];
  private fixed: { readonly size: number; readonly root: string } | null = null;
  private readonly signed: Signed[] = [];
  private readonly bySize = new Map<number, Signed>();
  private readonly keys = new Set<string>();
  private readonly problems: { revision: number; says: string }[] = [];
  private next = 0;

  take(event: EventBytes & { readonly isJson: boolean }): void {
    if (this.next < event.revision) this.say(this.next, removedUpTo(this.next, event.revision - 1));
    this.next = event.revision + 1;
    const fact = factIn(event.data);
    const says = fact === null || !event.isJson ? 'is no event of the log' : this.apply(event, fact);
    if (says !== null) this.say(event.revision, says);
  }

  result(): StoredClaims {
    const { origin, formerOrigins, beforeSealing, problems } = this;
    const claims = this.signed.map(({ size: _, origin: by, ...claim }) => ({ ...claim, isFormer: by !== origin }));
    return { origin, formerOrigins, beforeSealing, claims, keys: [...this.keys], problems };
  }

  private say(revision: number, says: string): void {
    this.problems.push({ revision, says });
  }

  /** @returns what is wrong with it; null if nothing is */
  private apply(event: EventBytes, fact: JsonObject): string | null {
    switch (event.type) {
      case 'log.opened':
        return this.open(fact);
      case 'log.resumed':
        return this.resume(event, fact);
      case 'checkpoint.fixed':
        return this.fix(fact);
      case 'checkpoint.signed':
        return this.sign(event, fact);
      case 'checkpoint.cosigned':
        return this.cosign(fact);
      default:
        return 'is no event of the log';
    }
  }

  private open({ origin }: JsonObject): string | null {
    if (typeof origin !== 'string' || this.origin !== null) return 'names the log a second time';
    this.origin = origin;
    return null;
  }

  private resume({ revision }: EventBytes, { as, origin, from, anew }: JsonObject): string | null {
    if (typeof origin !== 'string' || this.origin === null) return 'resumes no log';
    if (as === 'successor') return origin === this.origin ? null : 'goes on as the successor of another log';
    const begins = isJsonObject(from) ? from['origin'] : null;
    const isOther = begins !== null && begins !== this.origin;
    const says = isOther
      ? 'is a copy of another log than the one before'
      : anew === true
        ? this.begin(revision, from)
        : null;
    this.formerOrigins.push(this.origin);
    this.origin = origin;
    return says;
  }

  /** Begins with an empty tree: the trees up to here are of the same events before they were sealed. */
  private begin(revision: number, from: JsonValue | undefined): string | null {
    const last = this.fixed;
    for (const signed of this.signed) signed.isOfOtherLeaves = true;
    this.bySize.clear();
    this.fixed = null;
    if (!isJsonObject(from) || last === null || from['size'] !== last.size || from['root'] !== last.root)
      return 'does not begin with the last checkpoint of the log before';
    this.beforeSealing.push({ origin: this.origin ?? '', ...last, revision });
    return null;
  }

  private fix({ size, root }: JsonObject): string | null {
    if (typeof size !== 'number' || typeof root !== 'string') return 'decides on no tree';
    const isLarger = size > (this.fixed?.size ?? 0);
    this.fixed = { size, root };
    return isLarger ? null : 'decides on a tree that is no larger than the one before';
  }

  private sign({ revision }: EventBytes, { size, note, key }: JsonObject): string | null {
    if (typeof size !== 'number' || typeof note !== 'string' || typeof key !== 'string') return 'signs no tree';
    const { fixed } = this;
    const { origin } = this;
    const where = placeOf(revision);
    const signed: Signed = { where, size, fixed, origin, isOfOtherLeaves: false, note, witnesses: [] };
    this.signed.push(signed);
    this.bySize.set(size, signed);
    this.keys.add(key);
    return fixed?.size === size ? null : 'signs a tree that was not decided on';
  }

  private cosign({ size, witness, line }: JsonObject): string | null {
    const signed = typeof size === 'number' ? this.bySize.get(size) : undefined;
    if (signed === undefined || typeof witness !== 'string' || typeof line !== 'string')
      return 'cosigns a tree that was not signed';
    signed.note += line;
    signed.witnesses.push(witness);
    return null;
  }
}

/** One problem for a whole gap, because a gap may be of any length. */
function removedUpTo(first: number, last: number): string {
  return first === last ? 'was removed' : `was removed, and so were all after it up to revision ${last}`;
}

const placeOf = (revision: number): string => `revision ${revision} of audit-checkpoints`;

function factIn(data: Buffer): JsonObject | null {
  try {
    const value: unknown = JSON.parse(data.toString('utf8'));
    return isJsonObject(value) ? value : null;
  } catch {
    return null; // not JSON
  }
}
