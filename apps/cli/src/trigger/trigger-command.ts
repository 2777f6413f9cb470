import { noticeTypes, type NoticeType } from '@app/notices';
import { Argument, InvalidArgumentError, Option, type Command } from 'commander';
import { endOfFeed, feedPage, interrupted, lineOf, type FeedEvent } from '../feeds/feed-access';
import { CommandFailed, NoAnswer, reasonIn } from '../terminal/outcome';
import { table } from '../terminal/layout';
import { note, print, say } from '../terminal/output';
import { accessOf, withService } from '../service/service-access';
import { SandboxCalls } from './sandbox-calls';
import { scenarios } from './scenarios';
import { TriggerUser } from './trigger-user';

const withinMaxSeconds = 600;

interface TriggerOptions {
  readonly all?: boolean;
  readonly list?: boolean;
  readonly within: number;
}

/** The outcome of one scenario: the user's events in the feed by then, in its order. */
interface Triggered {
  readonly type: NoticeType;
  readonly did: string;
  readonly subject: string;
  readonly userId: string;
  readonly events: readonly FeedEvent[];
}

/** `parley trigger`: causes notices in a sandbox, each for a new user. */
export function triggerCommand(program: Command): void {
  const command = program
    .command('trigger')
    .description('cause events for partners in a sandbox, each for a new user of its own')
    .addArgument(new Argument('[types...]', 'which events').choices(noticeTypes))
    .option('--all', 'one of each')
    .option('--list', 'what there is, and how each is made')
    .addOption(
      new Option('--within <seconds>', 'how long to wait for anything that is to happen')
        .default(30)
        .argParser(seconds),
    );
  withService(command).action(async (types: NoticeType[], options: TriggerOptions) => {
    if (options.list === true) return showList(command);
    const named = options.all === true ? noticeTypes : [...new Set(types)];
    if (named.length === 0 || (options.all === true && types.length > 0))
      command.error('error: name types, or say --all: parley trigger --list shows them');
    await triggerEach(command, named, options.within * 1_000);
  });
}

/** Runs each in turn, even after a failure. @throws CommandFailed when one of them failed, and at once when the service stops answering */
async function triggerEach(command: Command, types: readonly NoticeType[], withinMs: number): Promise<void> {
  const { json = false } = command.optsWithGlobals<{ readonly json?: boolean }>();
  const access = await accessOf(command);
  const signal = interrupted();
  const calls = new SandboxCalls(access, withinMs, signal);
  await calls.requireSandbox();
  const data: Triggered[] = [];
  const failed: string[] = [];
  try {
    for (const type of types) {
      const made = await trigger(calls, type, await endOfFeed(access)).catch((error: unknown) => {
        if (!(error instanceof CommandFailed) || error instanceof NoAnswer || signal.aborted) throw error;
        failed.push(`${type}: ${error.message}`);
        return null;
      });
      if (made === null) continue;
      data.push(made);
      if (!json) linesOf(made).forEach(say);
    }
  } finally {
    if (json) print(command, { data }, []);
  }
  if (failed.length > 0) throw new CommandFailed(failed.join('\n'));
}

/** Runs one scenario, and undoes whatever would continue by itself, however it ends. @throws CommandFailed */
async function trigger(calls: SandboxCalls, type: NoticeType, after: string): Promise<Triggered> {
  const user = await TriggerUser.provision(calls);
  try {
    const events = await eventsOf(calls, type, user, after);
    await user.leave();
    return { type, did: scenarios[type].does, subject: user.subject, userId: user.userId, events };
  } catch (error) {
    // The first failure is reported last, because it is why the command ends.
    await user.leave().catch((left: unknown) => note(reasonIn(left)));
    if (!(error instanceof CommandFailed) || error instanceof NoAnswer) throw error;
    throw new CommandFailed(`${error.message} (user ${user.userId})`);
  }
}

/** Runs one scenario, and returns the user's events once the feed has that type. @throws CommandFailed */
async function eventsOf(
  calls: SandboxCalls,
  type: NoticeType,
  user: TriggerUser,
  after: string,
): Promise<readonly FeedEvent[]> {
  const events: FeedEvent[] = [];
  let cursor = after;
  await scenarios[type].make(user);
  return calls.until(`the feed has ${type} of user ${user.userId}`, async () => {
    const page = await feedPage(calls.access, cursor);
    cursor = page.endCursor;
    events.push(...page.data.filter(({ data }) => data['userId'] === user.userId));
    return events.some((event) => event.type === type) ? events : null;
  });
}

function linesOf({ type, did, subject, events }: Triggered): string[] {
  const asked = events.filter((event) => event.type === type);
  const others = events.filter((event) => event.type !== type).map((event) => `${event.type} ${event.id}`);
  const besides = others.length === 0 ? [] : [`  besides: ${others.join(', ')}`];
  return [`${type}: ${did} (${subject})`, ...asked.map((event) => `  ${lineOf(event)}`), ...besides];
}

function showList(command: Command): void {
  const all = noticeTypes.map((type) => ({ type, does: scenarios[type].does, alongside: scenarios[type].alongside }));
  const rows = all.map(({ type, does, alongside }) => [type, does, alongside.join(', ') || '-']);
  print(command, { data: all }, table(['TYPE', 'WHAT IS DONE', 'ALSO SENT'], rows));
}

function seconds(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > withinMaxSeconds)
    throw new InvalidArgumentError(`It is a whole number of seconds, from 1 to ${withinMaxSeconds}.`);
  return value;
}
