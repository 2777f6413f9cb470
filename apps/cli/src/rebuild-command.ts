import type { ProjectionList, Rebuild, RebuildList, StartedRebuild } from '@app/operators';
import { Command } from 'commander';
import { setTimeout as sleep } from 'node:timers/promises';
import { showAnswer } from './answers';
import { confirmed } from './confirm';
import { openOperatorApi, succeeded } from './operator-api';
import type { Call, OperatorApi } from './operator-call';
import { CommandFailed, print } from './outcome';
import { showProgress } from './progress';

const lookEveryMs = 500;
/** A service that is started again meanwhile goes on with its rebuilds. */
const patienceMs = 120_000;
const goesOn: readonly Rebuild['state'][] = ['building', 'catching_up', 'comparing'];

interface Asked {
  readonly all?: boolean;
  readonly watch?: boolean;
  readonly yes?: boolean;
  readonly reason: string;
}

/** `parley projections rebuild`: the one operation that is asked for of many read models at once, and takes long. */
export function rebuildCommand(summary: string): Command {
  return new Command('rebuild')
    .description(summary)
    .argument('[projections...]', 'which read models')
    .option('--all', 'every one')
    .option('--watch', 'wait until they are compared, and show how they differ; 1 where they do')
    .requiredOption('--reason <text>', 'Why; it is kept in the log')
    .option('--yes', 'do it without asking')
    .action(async (named: string[], asked: Asked, command: Command) => {
      if (named.length === 0 && asked.all !== true)
        throw new CommandFailed('name read models, or say --all: parley projections list shows them');
      if (asked.yes !== true) await confirmed(`${summary}: ${asked.all === true ? 'all' : named.join(' ')}`);
      const api = await openOperatorApi();
      try {
        const names = asked.all === true ? await namesIn(api) : named;
        const ids: string[] = [];
        for (const name of names) ids.push(await begin(api, name, asked.reason));
        const rebuilds =
          asked.watch === true ? await watch(api, ids) : await Promise.all(ids.map((id) => read(api, id)));
        print(command, { data: rebuilds }, showAnswer({ data: rebuilds.map((rebuild) => ({ ...rebuild })) }));
        if (asked.watch === true) refuseUnlike(rebuilds);
      } finally {
        await api.close();
      }
    });
}

async function namesIn(api: OperatorApi): Promise<string[]> {
  const { data } = await ask<ProjectionList>(api, { method: 'GET', path: '/operator/v1/projections' });
  return data.map(({ name }) => name);
}

/** The id of the rebuild that was begun, or of the one that is under way. */
async function begin(api: OperatorApi, projection: string, reason: string): Promise<string> {
  const path = `/operator/v1/projections/${encodeURIComponent(projection)}/rebuild`;
  const call: Call = { method: 'POST', path, body: { reason } };
  const { data } = await ask<RebuildList>(api, { method: 'GET', path: '/operator/v1/rebuilds' });
  const open = data.find((one) => one.projection === projection && goesOn.includes(one.state));
  return open?.rebuildId ?? (await ask<StartedRebuild>(api, call)).rebuildId;
}

async function read(api: OperatorApi, id: string): Promise<Rebuild> {
  return ask<Rebuild>(api, { method: 'GET', path: `/operator/v1/rebuilds/${id}` });
}

/** Shows how far they are, on stderr, until none goes on by itself; a service that is away is waited for. */
async function watch(api: OperatorApi, ids: readonly string[]): Promise<Rebuild[]> {
  let onDone: ((done: number) => void) | null = null;
  let heardMs = performance.now();
  for (;;) {
    const found = await Promise.all(ids.map((id) => read(api, id))).catch((error: unknown) => {
      if (performance.now() - heardMs > patienceMs) throw error;
      return null;
    });
    if (found !== null) {
      heardMs = performance.now();
      const target = Math.max(...found.map((rebuild) => rebuild.target));
      onDone ??= showProgress('rebuilding', target, 'positions');
      onDone(Math.min(target, ...found.map(({ state, position }) => (state === 'building' ? position : target))));
      if (!found.some(({ state }) => goesOn.includes(state))) return found;
    }
    await sleep(lookEveryMs);
  }
}

/** @throws CommandFailed where one failed, or differs from the live table */
function refuseUnlike(rebuilds: readonly Rebuild[]): void {
  const isUnlike = ({ state, differences }: Rebuild): boolean =>
    state === 'failed' || (differences !== null && differences.missing + differences.extra + differences.changed > 0);
  const unlike = rebuilds.filter(isUnlike);
  if (unlike.length === 0) return;
  const names = unlike.map(({ projection, rebuildId }) => `${projection} (parley rebuilds differences ${rebuildId})`);
  throw new CommandFailed(`not what the events come to: ${names.join(', ')}`);
}

async function ask<Answer>(api: OperatorApi, call: Call): Promise<Answer> {
  // Reason for the assertion: the answer's shape is the contract's, which the caller names.
  return succeeded(await api.call(call)) as Answer;
}
