import { createHash, type Hash } from 'node:crypto';
import { CannotMigrate, isSame } from './copy-events';
import type { VerbatimEvent, VerbatimStore } from './verbatim-store';

/** What both stores hold, as one number and one hash. */
export interface VerifiedCopy {
  readonly events: number;
  /** Lower-case hex SHA-256 over stream, revision, id, type, data and metadata of all events in order, each with its length before it. */
  readonly sha256: string;
  /** For each position of the source that was asked about, the position of the target up to which the same events lie. */
  readonly positions: ReadonlyMap<number, number>;
  /** Position in the target of the last event that some read model is made from; 0: there is none. */
  readonly lastProjected: number;
}

export interface VerifyRequest {
  /** Positions of the source, at which somebody went on reading. */
  readonly asked: readonly number[];
  /** Categories of the streams that read models are made from. */
  readonly projected: ReadonlySet<string>;
}

/**
 * Reads both stores from the beginning and holds them against each other.
 * @throws CannotMigrate when they differ, or the target's positions run behind the source's: automations remember the position of the
 *   last input that led to something, and would take later inputs for earlier ones
 */
export async function verifyCopy(
  source: VerbatimStore,
  target: VerbatimStore,
  { asked, projected }: VerifyRequest,
  onDone: (count: number) => void,
): Promise<VerifiedCopy> {
  const [ofSource, ofTarget] = [createHash('sha256'), createHash('sha256')];
  const positions = new Map(asked.map((position) => [position, 0]));
  const copies = target.events();
  let [events, lastProjected] = [0, 0];
  for await (const event of source.events()) {
    const next = await copies.next();
    if (next.done === true || !isSame(event, next.value))
      throw new CannotMigrate(
        `revision ${event.revision} of ${event.stream} is not in the target as it is in the source`,
      );
    const copy = next.value;
    if (copy.position < event.position)
      throw new CannotMigrate('the positions of the target run behind those of the source, which automations remember');
    add(ofSource, event);
    add(ofTarget, copy);
    for (const position of asked)
      if (event.position <= BigInt(position)) positions.set(position, Number(copy.position));
    if (projected.has(event.stream.split('-', 1)[0] ?? '')) lastProjected = Number(copy.position);
    onDone((events += 1));
  }
  const more = await copies.next();
  if (more.done !== true)
    throw new CannotMigrate(`the target has more events than the source, in ${more.value.stream}`);
  const [sha256, other] = [ofSource.digest('hex'), ofTarget.digest('hex')];
  if (sha256 !== other) throw new CannotMigrate(`the hashes differ: ${sha256} and ${other}`);
  return { events, sha256, positions, lastProjected };
}

function add(hash: Hash, { stream, revision, id, type, data, metadata }: VerbatimEvent): void {
  for (const part of [stream, String(revision), id, type, data, metadata]) {
    const bytes = Buffer.from(part as Uint8Array); // a text or bytes: one overload for both is missing
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
}
