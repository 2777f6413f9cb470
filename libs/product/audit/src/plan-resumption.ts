import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { invalid, ok, refuse, type Result } from '@app/kernel';
import { Configuration, type WitnessAddress } from '@app/runtime';
import { v4 as uuidV4 } from 'uuid';
import { Checkpoints } from './checkpoints';
import type { SignedCheckpoint } from './checkpoints.decider';
import type { ResumedAs } from './checkpoints.events';
import { LogIdentity } from './log-identity';
import type { Resumption } from './resume-log';
import { offerCheckpoint } from './witness-call';

/** What a witness says of the log when it is asked: the size of the tree that it signed last, or why that is not known. */
type WitnessWord = { readonly witness: string } & ({ readonly size: number } | { readonly trouble: string });

/**
 * What it takes to let the log sign again. A successor's witnesses are asked first which tree each has seen: refuses with `invalid_input`
 * where one has seen a larger or another one, or does not say, unless the operator says to go on all the same; and where the log is not held.
 * @throws Unavailable
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
    private readonly configuration: Configuration,
  ) {}

  async execute({ as, despiteWitnesses }: PlanResumption): Promise<Result<Resumption>> {
    const hold = await this.identity.hold();
    if (hold === null) return refuse(invalid('/as', 'The log is not held: it signs, and there is nothing to resume.'));
    const planned = { as, hold: hold.id, origin: `parley/${uuidV4()}` };
    if (as === 'copy') return ok({ ...planned, above: 0 });
    const newest = (await this.checkpoints.current()).signed.at(-1) ?? null;
    const { WITNESSES } = this.configuration.env;
    const words = newest === null ? [] : await Promise.all(WITNESSES.map((one) => wordOf(one, newest)));
    const against = newest === null ? unasked(WITNESSES) : words.flatMap((word) => objectionOf(word, newest.size));
    if (against.length > 0 && !despiteWitnesses)
      return refuse(invalid('/despiteWitnesses', `${against.join(' ')} ${whatToDo}`));
    return ok({ ...planned, above: Math.max(0, ...words.map((word) => ('size' in word ? word.size : 0))) });
  }
}

const whatToDo =
  'Restore a copy that is as new, or resume as a copy. Where this is true the log goes on all the same, from where no witness has seen it yet, ' +
  'and those witnesses sign nothing of it any more.';

function objectionOf(word: WitnessWord, size: number): string[] {
  const { witness } = word;
  if ('trouble' in word) return [`Witness ${witness} does not say what it has seen (${word.trouble}).`];
  return word.size > size
    ? [`Witness ${witness} has seen ${word.size} events of the log, and ${size} are signed here.`]
    : [];
}

function unasked(witnesses: readonly WitnessAddress[]): string[] {
  return witnesses.map(
    ({ key }) => `Witness ${key.name} cannot be asked, since no checkpoint is left here that could be shown to it.`,
  );
}

/** Shows a witness the newest checkpoint: it knows that one, or says which size it has seen. */
async function wordOf(witness: WitnessAddress, { size, note }: SignedCheckpoint): Promise<WitnessWord> {
  const { name } = witness.key;
  try {
    const answer = await offerCheckpoint(witness, { old: size, path: [], note }, new AbortController().signal);
    if ('line' in answer) return { witness: name, size };
    // It is asked about the very tree that it says it has: it has another one.
    return answer.signedLast === size
      ? { witness: name, trouble: `it has seen another tree of ${size} events` }
      : { witness: name, size: answer.signedLast };
  } catch (error) {
    return { witness: name, trouble: error instanceof Error ? error.message : String(error) };
  }
}
