import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { failureWords, invalid, ok, operatorWords, quoted, refuse, sentence, words } from '@app/kernel';
import type { Result, Words } from '@app/kernel';
import { Configuration, type WitnessAddress } from '@app/settings';
import { v4 as uuidV4 } from 'uuid';
import { Checkpoints } from '../signing/checkpoints';
import type { CheckpointsState, SignedCheckpoint } from '../checkpoints/checkpoints.decider';
import type { ResumedAs } from '../checkpoints/checkpoints.events';
import { LogIdentity } from '../log/log-identity';
import { LogTables } from '../log/log-tables';
import type { Resumption } from './resume-log';
import { LogKeys } from '../signing/log-keys';
import { signedByLog, askWitness } from '../witnesses/witness-memory';
import { offerCheckpoint, WitnessTrouble } from '../witnesses/witness-call';

/** A witness's answer about the log. */
interface WitnessWord {
  /** Size of the tree that it signed last; null if unknown, also where it claims more than it can show. */
  readonly seen: number | null;
  /** A sentence; null if the log may grow from there. */
  readonly objection: Words | null;
}

/**
 * Plans how the log signs again. For a successor, asks the witnesses first which tree each has seen. Refuses with
 * `invalid_input` if one has seen a larger or another tree, unless the operator overrides that; if it is not known what
 * one has seen; and if the log is not held. @throws Unavailable
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
    private readonly keys: LogKeys,
  ) {}

  async execute({ as, despiteWitnesses }: PlanResumption): Promise<Result<Resumption>> {
    const hold = await this.identity.hold();
    if (hold === null) return refuse(invalid('/as', 'The log is not held: it signs, and there is nothing to resume.'));
    const planned = { as, hold: hold.id, origin: `parley/${uuidV4()}` };
    if (as === 'copy') return ok({ ...planned, above: 0 });
    const state = await this.checkpoints.current();
    const words = await Promise.all(this.configuration.env.WITNESSES.map((one) => this.wordOf(one, state)));
    const [objections, seen] = [
      words.flatMap((word) => word.objection ?? []),
      words.flatMap((word) => word.seen ?? []),
    ];
    // Nothing can be planned beyond what is not known.
    if (seen.length < words.length) return refuse(invalid('/as', `${objections.join(' ')} ${whereUnknown}`));
    if (objections.length > 0 && !despiteWitnesses)
      return refuse(invalid('/despiteWitnesses', `${objections.join(' ')} ${whatToDo}`));
    return ok({ ...planned, above: Math.max(0, ...seen) });
  }

  private async wordOf(witness: WitnessAddress, state: CheckpointsState): Promise<WitnessWord> {
    const name = nameOf(witness);
    const newest = state.signed.at(-1);
    if (newest === undefined)
      return unknown(
        words`Witness ${name} cannot be asked, since no checkpoint is left here that could be shown to it.`,
      );
    try {
      const seen = await this.offer(witness, newest, newest.size);
      if (seen === null) return { seen: newest.size, objection: null };
      return seen > newest.size
        ? await this.largerTree(witness, seen, newest, state)
        : await this.smallerTree(witness, seen, newest);
    } catch (error) {
      return unknown(saysNothing(name, error instanceof WitnessTrouble ? error.said : quoted(failureWords(error))));
    }
  }

  /** A size that is not larger than the newest one; the witness is shown that the log grew from there. */
  private async smallerTree(witness: WitnessAddress, seen: number, newest: SignedCheckpoint): Promise<WitnessWord> {
    const name = nameOf(witness);
    const other = { seen, objection: words`Witness ${name} contradicts: it has seen another tree of ${seen} events.` };
    // The offer named the very size that it has signed, and it refused.
    if (seen === newest.size) return other;
    if (seen === 0) return { seen, objection: null };
    try {
      const again = await this.offer(witness, newest, seen);
      return again === null
        ? { seen, objection: null }
        : unknown(saysNothing(name, sentence('it names another size each time')));
    } catch (error) {
      if (error instanceof WitnessTrouble && error.refusal === 'contradiction') return other;
      throw error;
    }
  }

  /** A size that is larger than the newest one counts only if the log signed it: an invented one would stop the log. */
  private async largerTree(
    witness: WitnessAddress,
    claimed: number,
    newest: SignedCheckpoint,
    state: CheckpointsState,
  ): Promise<WitnessWord> {
    const { url } = witness;
    const { checkpoint } = await askWitness(url, state.origin ?? '');
    const signed = checkpoint === null ? null : await signedByLog(checkpoint, witness, state, this.keys);
    const seen = signed?.size ?? 0;
    const verb = seen < claimed ? 'claims to have' : 'has';
    const says = words`Witness ${nameOf(witness)} ${sentence(verb)} seen ${Math.max(seen, claimed)} events of the log`;
    return seen < claimed
      ? unknown(words`${says}, and shows no checkpoint of so many that the log signed.`)
      : { seen, objection: words`${says}, and ${newest.size} are signed here.` };
  }

  /** Null if the witness signs; else the size of the tree that it signed last. @throws WitnessTrouble */
  private async offer(witness: WitnessAddress, { size, note }: SignedCheckpoint, old: number): Promise<number | null> {
    const path = old === size ? [] : await this.tables.tree(size).consistencyPath(old);
    const answer = await offerCheckpoint(witness, { old, path, note }, new AbortController().signal);
    return 'line' in answer ? null : answer.signedLast;
  }
}

const whatToDo =
  'Restore a copy that is as new, or resume as a copy. Where this is true the log goes on all the same, from where no witness has seen it yet, ' +
  'and those witnesses sign nothing of it any more.';
const whereUnknown =
  'Where it is not known what a witness has seen, the log cannot go on beyond that. Try again when it answers, or resume as a copy. Without ' +
  'that witness in WITNESSES the log goes on, and may sign once more what that witness has seen, which proves two histories.';

function unknown(objection: Words): WitnessWord {
  return { seen: null, objection };
}

function saysNothing(witness: Words, why: Words): Words {
  return words`Witness ${witness} does not say what it has seen (${why}).`;
}

/** The name is part of the key that the operator configured. */
function nameOf({ key: { name } }: WitnessAddress): Words {
  return operatorWords(name) ?? quoted(name);
}
