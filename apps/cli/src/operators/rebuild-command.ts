import { setTimeout as sleep } from 'node:timers/promises';
import type { ProjectionList, Rebuild, RebuildList, StartedRebuild } from '@app/operators';
import { Command, Option } from 'commander';
import { openOperatorApi, succeeded } from './operator-api';
import type { Call, OperatorApi } from './operator-call';
import { CommandFailed, NoAnswer, WrongUsage } from '../terminal/outcome';
import { showAnswer } from '../terminal/answers';
import { confirmed } from '../terminal/confirm';
import { nameInWords, nameOf } from './deployment-name';
import { note, print } from '../terminal/output';
import { showProgress } from '../terminal/progress';

const askAgainMs = 500;
/** A service that restarts meanwhile continues what was begun. */
const patienceMs = 120_000;

/** The operator API for a long command: waits up to two minutes for a service that has answered before and is unavailable now. */
class PatientApi {
  private heardMs: number | null = null;

  constructor(private readonly api: OperatorApi) {}

  /** Reads, as often as necessary. Throws refusals, and NoAnswer in the end. */
  async read<Answer>(path: string): Promise<Answer> {
    return this.insist(() => this.once<Answer>({ method: 'GET', path }));
  }

  /**
   * Makes a change. The body first checks whether the change was made already, and runs again when its answer is lost. Throws as `read`.
   */
  async insist<Value>(body: () => Promise<Value>): Promise<Value> {
    for (;;) {
      try {
        return await body();
      } catch (error) {
        const isNew = this.heardMs === null || performance.now() - this.heardMs > patienceMs;
        if (isNew || !(error instanceof NoAnswer)) throw error;
        await sleep(askAgainMs);
      }
    }
  }

  /** Throws refusals, and NoAnswer. */
  async once<Answer>(call: Call): Promise<Answer> {
    const answered = await this.api.call(call);
    if (answered.status === 503) throw new NoAnswer('the service cannot answer now');
    this.heardMs = performance.now();
    // Reason for the assertion: the answer's shape is the contract's, which the caller names.
    return succeeded(answered) as Answer;
  }
}

const lookEveryMs = 500;
const comesNoNearer =
  'has not come nearer to the end of the store for half a minute: parley deployment shows whether a worker builds it';
const goesOn: readonly Rebuild['state'][] = ['building', 'catching_up', 'comparing'];
const isOpen = ({ state }: Rebuild): boolean => state === 'ready' || goesOn.includes(state);

interface Asked {
  readonly all?: boolean;
  readonly watch?: boolean;
  readonly yes?: boolean;
  readonly pace: 'gentle' | 'full';
  readonly reason: string;
}

/** `parley projections rebuild`: the one operation that takes many read models at once, and takes long. */
export function rebuildCommand(summary: string): Command {
  return new Command('rebuild')
    .description(summary)
    .argument('[projections...]', 'which read models')
    .option('--all', 'every one')
    .option('--watch', 'wait until they are compared, and show how they differ; 1 where they do, or cannot be compared')
    .addOption(
      new Option('--pace <pace>', 'gentle pauses for requests, full for nothing')
        .choices(['gentle', 'full'])
        .default('gentle'),
    )
    .requiredOption('--reason <text>', 'Why; it is kept in the log')
    .option('--yes', 'do it without asking')
    .action(async (named: string[], asked: Asked, command: Command) => {
      if (named.length === 0 && asked.all !== true)
        throw new WrongUsage('name read models, or say --all: parley projections list shows them');
      const opened = await openOperatorApi();
      const api = new PatientApi(opened);
      try {
        const deployment = await nameOf(opened);
        const what = `${summary}: ${asked.all === true ? 'all' : named.join(' ')}, at ${nameInWords(deployment)}`;
        if (asked.yes !== true) await confirmed(what);
        const known = await namesIn(api);
        if (!named.every((name) => known.includes(name)))
          throw new WrongUsage(`not all of these are read models. There are: ${known.join(', ')}`);
        const names = asked.all === true ? known : named;
        const ids: string[] = [];
        for (const name of names) ids.push(await begin(api, name, asked));
        const rebuilds = asked.watch === true ? await watch(api, ids) : await read(api, ids);
        const shown = { data: rebuilds.map((rebuild) => ({ ...rebuild })), deployment: { ...deployment } };
        print(command, shown, showAnswer(shown));
        if (asked.watch === true) refuseUnlike(rebuilds);
      } finally {
        await opened.close();
      }
    });
}

async function namesIn(api: PatientApi): Promise<string[]> {
  const { data } = await api.read<ProjectionList>('/operator/v1/projections');
  return data.map(({ name }) => name);
}

async function list(api: PatientApi): Promise<readonly Rebuild[]> {
  return (await api.read<RebuildList>('/operator/v1/rebuilds')).data;
}

/**
 * Returns the id of the rebuild that was begun, or of the one that runs or is ready, so that an interrupted command that is given again
 * shows its outcome.
 */
async function begin(api: PatientApi, projection: string, { reason, pace }: Asked): Promise<string> {
  const path = `/operator/v1/projections/${encodeURIComponent(projection)}/rebuild`;
  return api.insist(async () => {
    const open = (await list(api)).find((one) => one.projection === projection && isOpen(one));
    if (open?.state === 'ready') note(`${projection} is rebuilt already: ${open.rebuildId}`);
    return (
      open?.rebuildId ?? (await api.once<StartedRebuild>({ method: 'POST', path, body: { reason, pace } })).rebuildId
    );
  });
}

/** Needs one call, unless many others were begun since. */
async function read(api: PatientApi, ids: readonly string[]): Promise<Rebuild[]> {
  const listed = new Map((await list(api)).map((rebuild) => [rebuild.rebuildId, rebuild]));
  const one = async (id: string): Promise<Rebuild> =>
    listed.get(id) ?? api.read<Rebuild>(`/operator/v1/rebuilds/${id}`);
  return Promise.all(ids.map(one));
}

/** Shows the progress, on stderr, until none continues by itself. */
async function watch(api: PatientApi, ids: readonly string[]): Promise<Rebuild[]> {
  let onDone: ((done: number, target: number) => void) | null = null;
  const slow = new Set<string>();
  for (;;) {
    const found = await read(api, ids);
    const target = Math.max(...found.map((rebuild) => rebuild.target));
    onDone ??= showProgress('rebuilding', target, 'positions');
    onDone(Math.min(target, ...found.map(({ state, position }) => (state === 'building' ? position : target))), target);
    for (const { rebuildId, projection, isNearing } of found) {
      if (isNearing === false && !slow.has(rebuildId)) note(`${projection} ${comesNoNearer}`);
      if (isNearing === false) slow.add(rebuildId);
      else slow.delete(rebuildId);
    }
    if (!found.some(({ state }) => goesOn.includes(state))) return found;
    await sleep(lookEveryMs);
  }
}

/** @throws CommandFailed when one failed, differs from the live table, or could not be compared with it */
function refuseUnlike(rebuilds: readonly Rebuild[]): void {
  const uncompared = rebuilds.filter(({ state, differences }) => state === 'ready' && differences === null);
  for (const { projection, error } of uncompared) note(`${projection}: ${error}`);
  const isUnlike = ({ state, differences }: Rebuild): boolean =>
    state === 'failed' || (differences !== null && differences.missing + differences.extra + differences.changed > 0);
  const unlike = rebuilds.filter(isUnlike);
  if (unlike.length === 0 && uncompared.length === 0) return;
  if (unlike.length === 0) {
    const ids = uncompared.map(({ projection, rebuildId }) => `${projection} (parley rebuilds switch ${rebuildId})`);
    throw new CommandFailed(`built, and not compared with a live table that is broken: ${ids.join(', ')}`);
  }
  const names = unlike.map(({ projection, rebuildId }) => `${projection} (parley rebuilds differences ${rebuildId})`);
  throw new CommandFailed(`not what the events result in: ${names.join(', ')}`);
}
