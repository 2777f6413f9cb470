import { createHash, type Hash } from 'node:crypto';
import { CannotMigrate, isClosing, isCopy, verbatimForm, type CopyForm } from './copy-events';
import type { VerbatimEvent, VerbatimStore } from './verbatim-store';

/** The content of the target, as one number and one hash. */
export interface VerifiedCopy {
  /** Number of copied events. */
  readonly events: number;
  /** Lower-case hex SHA-256 over the target: stream, revision, id, type, data and metadata of all events in order, each with its length before it. */
  readonly sha256: string;
  /** For each requested position of the source, the position of the target up to which the same events are stored. */
  readonly positions: ReadonlyMap<number, number>;
  /** Position in the target of the last event from which a read model is built; 0 if there is none. */
  readonly lastProjected: number;
}

export interface VerifyRequest {
  /** Positions of the source from which readers will continue. */
  readonly asked: readonly number[];
  /** Categories of the streams from which read models are built. */
  readonly projected: ReadonlySet<string>;
}

/**
 * Reads both stores from the beginning and compares them.
 * @param form of the copy
 * @throws CannotMigrate when they differ, or the target's positions are below the source's: automations record the position of the last
 * input that had an effect, and would take later inputs for earlier ones
 */
export async function verifyCopy(
  source: VerbatimStore,
  target: VerbatimStore,
  { asked, projected }: VerifyRequest,
  onDone: (count: number) => void,
  form: CopyForm = verbatimForm,
): Promise<VerifiedCopy> {
  const [ofSource, ofTarget] = [createHash('sha256'), createHash('sha256')];
  const positions = new Map(asked.map((position) => [position, 0]));
  const copies = target.events();
  let [events, lastProjected] = [0, 0];
  for await (const event of source.events()) {
    const next = await copies.next();
    if (next.done === true || !(await isCopy(form, event, next.value)))
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
  for await (const closing of closingOf(copies, form)) add(ofTarget, closing);
  const [source256, sha256] = [ofSource.digest('hex'), ofTarget.digest('hex')];
  if (form === verbatimForm && sha256 !== source256)
    throw new CannotMigrate(`the hashes differ: ${source256} and ${sha256}`);
  return { events, sha256, positions, lastProjected };
}

/** Yields the event after the copies, if there is to be one. @throws CannotMigrate when it is not there, or others are */
async function* closingOf(rest: AsyncGenerator<VerbatimEvent>, form: CopyForm): AsyncGenerator<VerbatimEvent> {
  if (form.closing !== null) {
    const last = await rest.next();
    if (last.done === true || !isClosing(form, last.value))
      throw new CannotMigrate('the target lacks the event that follows after the copies');
    yield last.value;
  }
  const more = await rest.next();
  if (more.done !== true)
    throw new CannotMigrate(`the target has more events than the source, in ${more.value.stream}`);
}

function add(hash: Hash, { stream, revision, id, type, data, metadata }: VerbatimEvent): void {
  for (const part of [stream, String(revision), id, type, data, metadata]) {
    const bytes = Buffer.from(part as Uint8Array); // a text or bytes: one overload for both is missing
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    hash.update(length).update(bytes);
  }
}
