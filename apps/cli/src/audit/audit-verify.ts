import { checkpointsStream, howToResume, keptInFiles, lastLine, verifyLog } from '@app/audit';
import type { BeforeSealing, Claim, Findings, KeptLog, LogFiles, LogHold, Problem } from '@app/audit';
import type { Configuration } from '@app/settings';
import { parseCheckpoint, parseNote, textOf, type VerifierKey } from '@app/transparency';
import type { Command } from 'commander';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { witnessClaims } from './audit-witnesses';
import { openLogPlace, servedLog } from './log-places';
import { CommandFailed } from '../terminal/outcome';
import { print } from '../terminal/output';
import { showProgress } from '../terminal/progress';
import { openStoresHere, type StoresHere } from '../stores/stores-here';

export interface VerifyOptions {
  readonly from?: string;
  readonly url?: string;
  readonly stores?: boolean;
  readonly key: readonly VerifierKey[];
  readonly witness: readonly VerifierKey[];
  readonly needed?: number;
  readonly known: readonly string[];
  /** URLs of witnesses; empty for those of WITNESSES. */
  readonly ask: readonly string[];
}

/** The log in one place, with its claims about itself. */
interface LogAt {
  readonly kept: KeptLog;
  readonly claims: readonly Claim[];
  readonly ownKeys: readonly string[];
  readonly problems: readonly Problem[];
  /** The logs over the same events before their words were sealed; their checkpoints are of other leaves. */
  readonly beforeSealing: readonly BeforeSealing[];
  /** Keys of the log itself that belong to this deployment's secrets. */
  readonly ownSecretKeys: readonly VerifierKey[];
  close(this: void): void;
}

/** Limit on the age of a served checkpoint (docs/decisions/proof.md, "Served paths"). */
const grownWithinMs = 3_000;

/** Limit of the problems shown on a terminal; `--json` shows all. */
const shownMax = 1_000;

/** Verifies the log that the options name. @throws CommandFailed when anything is wrong, or nothing is proven */
export async function verify(options: VerifyOptions, command: Command, configuration: Configuration): Promise<void> {
  const { witnesses, needed } = witnessesOf(options, configuration);
  if (needed > witnesses.length)
    throw new CommandFailed(
      `${needed} witnesses are needed, and ${witnesses.length} ${witnesses.length === 1 ? 'is' : 'are'} named: by --witness, or in WITNESSES`,
    );
  const isLocal = options.from === undefined && options.url === undefined;
  const stores = isLocal || options.stores === true ? await openStoresHere(configuration) : null;
  try {
    const { log, outside } = await logWithOutside(options, configuration, stores);
    const subject = {
      ...log,
      claims: [...log.claims, ...outside.map((claim) => ofItsLog(claim, log))],
      stored: (await stores?.events()) ?? null,
      hidden: stores?.hidden() ?? null,
    };
    const trust = { log: options.key.length > 0 ? options.key : log.ownSecretKeys, witnesses, needed };
    const onDone = showProgress('verifying', log.kept.size, stores === null ? 'leaves' : 'events');
    const found = await verifyLog(subject, trust, onDone).finally(log.close);
    const hold = (await stores?.hold()) ?? null;
    const findings = { ...found, problems: [...log.problems, ...found.problems] };
    tell(command, findings, { stores, hold, beforeSealing: log.beforeSealing });
  } finally {
    await stores?.close();
  }
}

/** Returns the log, and the claims of others about it. */
async function logWithOutside(options: VerifyOptions, configuration: Configuration, stores: StoresHere | null) {
  const known = await Promise.all(options.known.map(knownClaim));
  const log = await logAt(options, configuration, stores);
  const asked = await witnessClaims(options.ask, configuration, log.claims, options.witness);
  const outside = [...known, ...asked];
  if (!asked.some((claim) => sizeOf(claim) > log.kept.size)) return { log, outside };
  // The log may have grown between the two reads: read it once more, now after asking the witness.
  log.close();
  await sleep(grownWithinMs);
  return { log: await logAt(options, configuration, stores), outside };
}

function witnessesOf({ witness, needed }: VerifyOptions, { env }: Configuration) {
  if (witness.length > 0) return { witnesses: witness, needed: needed ?? witness.length };
  return { witnesses: env.WITNESSES.map(({ key }) => key), needed: needed ?? env.WITNESSES_NEEDED };
}

async function logAt(
  { from, url }: VerifyOptions,
  configuration: Configuration,
  stores: StoresHere | null,
): Promise<LogAt> {
  if (url !== undefined) return logAtUrl(url, configuration.env.PARLEY_OPERATOR_TOKEN);
  if (from !== undefined) {
    const files = openLogPlace(configuration, from);
    const claim = await newestIn(files.read, from);
    return { ...claimed(claim), kept: keptInFiles(files, sizeOf(claim), true), ownKeys: [], close: files.close };
  }
  if (stores === null) throw new CommandFailed('there are no stores here');
  // Checkpoints first, then the stored log, then the events: while the service runs, each covers at least the one before.
  const said = await stores.checkpoints();
  const kept = await stores.kept();
  const { claims, keys: ownKeys, problems, beforeSealing } = said;
  const found = problems.map(({ revision, says }): Problem => ({
    kind: 'checkpoint',
    stream: checkpointsStream,
    revision,
    says,
  }));
  const ownSecretKeys = await stores.ownSecretKeys(said);
  return { kept, claims, ownKeys, ownSecretKeys, beforeSealing, problems: found, close: () => undefined };
}

async function logAtUrl(url: string, token: string | undefined): Promise<LogAt> {
  const files = servedLog(url, token);
  const claim = await newestIn(files.read, url);
  const keys = textOf((await files.read('key')) ?? new Uint8Array())?.split('\n') ?? [];
  const kept = keptInFiles(files, sizeOf(claim), token !== undefined);
  return { ...claimed(claim), kept, ownKeys: keys.filter((line) => line !== ''), close: () => undefined };
}

async function newestIn(read: LogFiles['read'], where: string): Promise<Claim> {
  const bytes = await read('checkpoint');
  if (bytes === null) throw new CommandFailed(`${where} has no checkpoint, or does not exist`);
  return claimIn(bytes, where);
}

async function knownClaim(file: string): Promise<Claim> {
  const bytes = await readFile(file).catch((error: NodeJS.ErrnoException) => {
    throw new CommandFailed(`${file} cannot be read (${error.code ?? error.message})`);
  });
  const claim = claimIn(bytes, file);
  // A file that was named by mistake proves nothing about the log.
  if (parseCheckpoint(parseNote(claim.note)?.text ?? '') === null) throw new CommandFailed(`${file} is no checkpoint`);
  return { ...claim, isOutside: true };
}

function claimIn(bytes: Uint8Array, where: string): Claim {
  return { where, note: textOf(bytes) ?? '', fixed: null, witnesses: [] };
}

/** Marks the checkpoint of a log that ended when the words in its events were sealed: its tree is none of this log's. */
function ofItsLog(claim: Claim, { beforeSealing }: LogAt): Claim {
  const origin = parseCheckpoint(parseNote(claim.note)?.text ?? '')?.origin;
  const isBefore = beforeSealing.some((former) => former.origin === origin);
  return isBefore ? { ...claim, isFormer: true, isOfOtherLeaves: true } : claim;
}

/** The size in the note, before it is verified. @throws CommandFailed when it has none */
function sizeOf({ note, where }: Claim): number {
  const checkpoint = parseCheckpoint(parseNote(note)?.text ?? '');
  if (checkpoint === null) throw new CommandFailed(`the checkpoint of ${where} cannot be read`);
  return checkpoint.size;
}

const claimed = (claim: Claim) => ({ claims: [claim], problems: [], beforeSealing: [], ownSecretKeys: [] });

/** A log that ended when its events were sealed, in a sentence. */
function beforeInWords({ origin, size, root, revision }: BeforeSealing): string {
  return (
    `Before its words were sealed, this was ${origin}: its last checkpoint is of ${size} events, with the root ${root} ` +
    `(revision ${revision} of ${checkpointsStream}). The events had other bytes then, so that log is verified by the store that was copied.`
  );
}

interface Surroundings extends Pick<LogAt, 'beforeSealing'> {
  readonly stores: StoresHere | null;
  readonly hold: LogHold | null;
}

function tell(command: Command, found: Findings, { stores, hold, beforeSealing }: Surroundings): void {
  const { problems } = found;
  const lines = problems
    .slice(0, shownMax)
    .map(({ stream, revision, says }) =>
      stream === null || revision === null ? says : `revision ${revision} of ${stream}: ${says}`,
    );
  const more = problems.length - shownMax + found.beyond;
  if (problems.length > shownMax || found.beyond > 0)
    lines.push(`and ${more} more (--json names those that are known)`);
  if (stores !== null) lines.push(`Events read from ${stores.from}.`);
  lines.push(...beforeSealing.map(beforeInWords));
  if (hold !== null) lines.push(`The log is held, and signs nothing: ${hold.says}; ${howToResume}.`);
  const verdict = lastLine(found);
  print(command, { ...found, verdict, hold: hold?.says ?? null, beforeSealing }, [...lines, verdict]);
  if (problems.length + found.beyond > 0) throw new CommandFailed('not all of it holds: what does not is named above');
  if (found.unwitnessed > 0)
    throw new CommandFailed(
      `too few witnesses have signed: ${found.unwitnessed} were demanded (--needed, or WITNESSES_NEEDED)`,
    );
  if (found.proven === 0) throw new CommandFailed('there is no signed checkpoint that proves anything');
}
