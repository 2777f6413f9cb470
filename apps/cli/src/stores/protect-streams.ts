import { readDotEnv } from '@app/composition';
import {
  accessListFor,
  accessWarning,
  accountIn,
  EventStore,
  checkStreamAccess,
  protectStreams,
} from '@app/event-store';
import { readConfiguration } from '@app/settings';
import type { Command } from 'commander';
import { confirmed } from '../terminal/confirm';
import { CommandFailed, reasonIn } from '../terminal/outcome';
import { note, print } from '../terminal/output';
import { placeInWords } from '../terminal/place-in-words';
import { secretOf, withSecret, type SecretOption } from '../terminal/secrets';

const admin: SecretOption = {
  name: 'admin',
  description: "the URL of the event store with an administrator's user and password",
};

interface Options {
  readonly account?: string;
  readonly replace?: true;
  readonly yes?: true;
}

/** `parley protect-streams`: sets the access list by which only the service writes into streams, and only administrators cut them. */
export function protectStreamsCommand(program: Command): void {
  withSecret(program.command('protect-streams'), admin)
    .description(
      'set the default access list of an EventStoreDB: the service appends, and only $admins delete or truncate streams',
    )
    .option('--account <user>', "the service's user; that of EVENTSTORE_URL unless given")
    .option('--replace', 'also where another list is set')
    .option('--yes', 'do it without asking')
    .action(async ({ account, replace, yes }: Options, command: Command) => {
      readDotEnv();
      const { EVENTSTORE_URL: own } = readConfiguration(process.env).env;
      const url = (await secretOf(command, admin)) ?? own;
      if (url === undefined) throw new CommandFailed('there is no event store to protect: set EVENTSTORE_URL');
      const user = account ?? (own === undefined ? null : accountIn(own));
      if (user === null)
        throw new CommandFailed(
          "EVENTSTORE_URL names no user: give the service's with --account (with tls=false there are no users, and no access lists)",
        );
      const store = connect(url);
      try {
        await refuseUnprotected(url, store, user, replace === true);
        if (yes !== true)
          await confirmed(`The event store at ${placeInWords(url)} gets the access list ${listFor(user)}`);
        await protect(store, user);
        const access = await checkStreamAccess(url, store.client, user);
        // The account that sets access lists is an administrator in any case.
        const left = accessWarning(access.kind === 'known' ? { ...access, isAdmin: false } : access);
        print(command, { account: user, accessList: accessListFor(user) }, [
          `${user} appends and reads; only members of $admins delete and truncate streams.`,
          ...(left === null ? [] : [`But ${left}.`]),
        ]);
      } finally {
        await store.dispose();
      }
    });
}

async function refuseUnprotected(url: string, store: EventStore, user: string, replaces: boolean): Promise<void> {
  const access = await checkStreamAccess(url, store.client).catch((error: unknown) => {
    throw new CommandFailed(`the event store does not answer: ${reasonIn(error)}`);
  });
  if (access.kind === 'own') throw new CommandFailed('the embedded event store is reached by the service alone');
  if (access.kind === 'no_users')
    throw new CommandFailed(
      'an event store without users (tls=false) has no access lists: keep it on a private network',
    );
  if (access.kind === 'unknown') throw new CommandFailed(notAdmin);
  if (access.isSet && !replaces)
    throw new CommandFailed(
      `the event store has an access list of its own, which others may rely on: say --replace to set ${listFor(user)} in its place`,
    );
  if (access.isSet) note('The access list that is there is replaced; the stream $settings keeps it.');
}

const notAdmin =
  "this account may not change access lists: give an administrator's with --admin-file <file> (- for standard input)";

async function protect(store: EventStore, user: string): Promise<void> {
  const outcome = await protectStreams(store.client, user).catch((error: unknown) => {
    throw new CommandFailed(`the event store did not take the access list: ${reasonIn(error)}`);
  });
  if (outcome === 'denied') throw new CommandFailed(notAdmin);
  if (outcome === 'changed')
    throw new CommandFailed('the access list was changed meanwhile: check it, and run the command again');
}

/** @throws CommandFailed, because the client's own message for an unusable URL contains the password */
function connect(url: string): EventStore {
  try {
    return EventStore.connect(url);
  } catch {
    throw new CommandFailed('the URL of the event store cannot be used: write it as esdb://user:password@host:2113');
  }
}

const listFor = (user: string): string => JSON.stringify(accessListFor(user));
