import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { invalid, ok, refuse, type Result } from '@app/kernel';
import { Configuration, type WitnessAddress } from '@app/runtime';
import { v4 as uuidV4 } from 'uuid';
import { Checkpoints } from '../signing/checkpoints';
import type { SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import type { ResumedAs } from '../checkpoints/checkpoints.events';
import { LogIdentity } from '../log/log-identity';
import { LogTables } from '../log/log-tables';
import type { Resumption } from './resume-log';
import { offerCheckpoint, WitnessTrouble } from '../witnesses/witness-call';

/** A witness's answer about the log. */
interface WitnessWord {
  readonly witness: string;
  /** Size of the tree that it signed last; 0 if unknown. */
  readonly size: number;
  /** Why that tree is unknown, or known to be another one. */
  readonly trouble: string | null;
}

/**
 * Plans how the log signs again. For a successor, asks the witnesses first which tree each has seen. Refuses with
 * `invalid_input` if one has seen a larger or another tree or gives no answer, unless the operator overrides that; and
 * if the log is not held. @throws Unavailable
 */
export class PlanResumption extends Query<Result<Resumption>> {
  constructor(
    readonly as: ResumedAs,
    readonly despiteWitnesses: boolean,
  ) {
    super();
  }
}

@QueryHandler(PlanResumption)
export class PlanResumptionHandler implements IQueryHandler<PlanResumption> {
  constructor(
    private readonly identity: LogIdentity,
    private readonly checkpoints: Checkpoints,
    private readonly tables: LogTables,
    private readonly configuration: Configuration,
  ) {}

  async execute({ as, despiteWitnesses }: PlanResumption): Promise<Result<Resumption>> {
    const hold = await this.identity.hold();
    if (hold === null) return refuse(invalid('/as', 'The log is not held: it signs, and there is nothing to resume.'));
    const planned = { as, hold: hold.id, origin: `parley/${uuidV4()}` };
    if (as === 'copy') return ok({ ...planned, above: 0 });
    const newest = (await this.checkpoints.current()).signed.at(-1) ?? null;
    const { WITNESSES } = this.configuration.env;
    const words = newest === null ? [] : await Promise.all(WITNESSES.map((one) => this.wordOf(one, newest)));
    const against = newest === null ? unasked(WITNESSES) : words.flatMap((word) => objectionOf(word, newest.size));
    if (against.length > 0 && !despiteWitnesses)
      return refuse(invalid('/despiteWitnesses', `${against.join(' ')} ${whatToDo}`));
    return ok({ ...planned, above: Math.max(0, ...words.map(({ size }) => size)) });
  }

  /**
   * Shows a witness the newest checkpoint: it knows that one, or answers which size it has seen and is then shown that
   * the log grew from there.
   */
  private async wordOf(witness: WitnessAddress, newest: SignedCheckpoint): Promise<WitnessWord> {
    const { name } = witness.key;
    let size = 0;
    try {
      const first = await this.offer(witness, newest, newest.size);
      size = first ?? newest.size;
      // The offer names the very size that it has signed, and it refuses: it has another tree of that size.
      if (first === newest.size) return { witness: name, size, trouble: otherTree(size) };
      const isBehind = first !== null && first > 0 && first < newest.size;
      const second = isBehind ? await this.offer(witness, newest, first) : null;
      return { witness: name, size, trouble: second === null ? null : 'it names another size each time' };
    } catch (error) {
      const isOther = size > 0 && error instanceof WitnessTrouble && error.refusal === 'contradiction';
      const trouble = isOther ? otherTree(size) : error instanceof Error ? error.message : String(error);
      return { witness: name, size, trouble };
    }
  }

  /** Null if the witness signs; else the size of the tree that it signed last. @throws WitnessTrouble */
  private async offer(witness: WitnessAddress, { size, note }: SignedCheckpoint, old: number): Promise<number | null> {
    const path = old === size ? [] : await this.tables.tree(size).consistencyPath(old);
    const answer = await offerCheckpoint(witness, { old, path, note }, new AbortController().signal);
    return 'line' in answer ? null : answer.signedLast;
  }
}

const otherTree = (size: number): string => `it has seen another tree of ${size} events`;

const whatToDo =
  'Restore a copy that is as new, or resume as a copy. Where this is true the log goes on all the same, from where no witness has seen it yet, ' +
  'and those witnesses sign nothing of it any more.';

function objectionOf({ witness, size, trouble }: WitnessWord, signedHere: number): string[] {
  if (trouble === otherTree(size)) return [`Witness ${witness} contradicts: ${trouble}.`];
  if (trouble !== null) return [`Witness ${witness} does not say what it has seen (${trouble}).`];
  return size > signedHere
    ? [`Witness ${witness} has seen ${size} events of the log, and ${signedHere} are signed here.`]
    : [];
}

function unasked(witnesses: readonly WitnessAddress[]): string[] {
  return witnesses.map(
    ({ key }) => `Witness ${key.name} cannot be asked, since no checkpoint is left here that could be shown to it.`,
  );
}
