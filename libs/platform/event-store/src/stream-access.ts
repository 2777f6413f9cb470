import {
  AccessDeniedError,
  BACKWARDS,
  END,
  jsonEvent,
  NO_STREAM,
  StreamNotFoundError,
  WrongExpectedVersionError,
  type EventStoreDBClient,
} from '@eventstore/db-client';
import { isJsonObject } from '@app/kernel';

/** The stream of the server's settings: its newest event is the default access list. Source: EventStoreDB, "Access control lists". */
const settingsStream = '$settings';
const settingsType = 'update-default-acl';
/** The two lists: for ordinary streams, and for those whose names begin with `$`. */
const [ordinary, ofServer] = ['$userStreamAcl', '$systemStreamAcl'] as const;
/** Its members may do everything, whatever an access list says. */
const admins = '$admins';
const everybody = '$all';

/** The users, other than administrators of the server, who could harm the streams of the service. */
export type StreamAccess =
  /** The embedded event store: only the service reaches its socket. */
  | { readonly kind: 'own' }
  /** The server has no users: every client that reaches it may do everything. */
  | { readonly kind: 'no_users' }
  /** The account may not read the settings of the server. */
  | { readonly kind: 'unknown' }
  | {
      readonly kind: 'known';
      /** Whether a default access list has been set. */
      readonly isSet: boolean;
      /** Users and groups that may delete streams, or write metadata that hides events. */
      readonly mayDelete: readonly string[];
      readonly mayTruncate: readonly string[];
      /** Holders, other than the account of the service, that may write events into streams. */
      readonly mayWrite: readonly string[];
      /** Whether the account of the service is an administrator itself. */
      readonly isAdmin: boolean;
    };

/** Returns the user that a connection string names; null when it names none. */
export function accountIn(url: string): string | null {
  const [, user] = /^[a-z+]+:\/\/([^/?#:@]+)(?::[^/?#@]*)?@/.exec(url) ?? [];
  return user === undefined ? null : decodeURIComponent(user);
}

/** Returns the default access list: only `account` writes into streams, and only administrators delete or truncate them. */
export function accessListFor(account: string): Record<string, Record<string, string | string[]>> {
  const readers = [account, admins];
  return {
    [ordinary]: { $r: readers, $w: account, $d: admins, $mr: readers, $mw: admins },
    [ofServer]: { $r: readers, $w: admins, $d: admins, $mr: admins, $mw: admins },
  };
}

/**
 * Returns the rights that the access list of the server gives others, as far as the account can read them.
 * @param client connected to `url`. @param own the account of the service. @throws the errors of the client
 */
export async function checkStreamAccess(
  url: string,
  client: EventStoreDBClient,
  own = accountIn(url),
): Promise<StreamAccess> {
  if (url.startsWith('unix:')) return { kind: 'own' };
  if (/[?&]tls=false(&|$)/i.test(url)) return { kind: 'no_users' };
  const settings = await newestOf(client, settingsStream);
  if (settings === 'denied') return { kind: 'unknown' };
  const list = settings?.data ?? null;
  const of = (right: string): readonly string[] => holders(list, ordinary, right).filter((one) => one !== admins);
  // An account that may read metadata of the server's own streams, although no list says so, is an administrator.
  const mayRead = holders(list, ofServer, '$mr').some((holder) => holder === everybody || holder === accountIn(url));
  return {
    kind: 'known',
    isSet: isJsonObject(list) && isJsonObject(list[ordinary]),
    mayDelete: of('$d'),
    mayTruncate: of('$mw'),
    mayWrite: of('$w').filter((holder) => holder !== own),
    isAdmin: !mayRead && (await newestOf(client, `$$${settingsStream}`)) !== 'denied',
  };
}

/**
 * Sets the default access list for an account. `denied`: the connection is not an administrator's; `changed`: another client changed the
 * list meanwhile. @throws other errors of the client
 */
export async function protectStreams(
  client: EventStoreDBClient,
  account: string,
): Promise<'done' | 'denied' | 'changed'> {
  const newest = await newestOf(client, settingsStream);
  if (newest === 'denied') return 'denied';
  const expectedRevision = newest === null ? NO_STREAM : newest.revision;
  try {
    const list = jsonEvent({ type: settingsType, data: accessListFor(account) });
    await client.appendToStream(settingsStream, list, { expectedRevision });
    return 'done';
  } catch (error) {
    if (error instanceof AccessDeniedError) return 'denied';
    if (error instanceof WrongExpectedVersionError) return 'changed';
    throw error;
  }
}

/** Returns the newest event of a stream; null when it has none. */
async function newestOf(
  client: EventStoreDBClient,
  stream: string,
): Promise<{ readonly revision: bigint; readonly data: unknown } | 'denied' | null> {
  try {
    let newest = null;
    // Iterates to the end, because a call whose reader leaves early stays open.
    for await (const { event } of client.readStream(stream, { direction: BACKWARDS, fromRevision: END, maxCount: 1 }))
      newest = event ?? null;
    return newest;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return null;
    if (error instanceof AccessDeniedError) return 'denied';
    throw error;
  }
}

/** The users and groups that a list gives a right; when the list does not mention it, the server's own default. */
function holders(list: unknown, of: typeof ordinary | typeof ofServer, right: string): readonly string[] {
  const acl = isJsonObject(list) ? list[of] : undefined;
  const said = isJsonObject(acl) ? acl[right] : undefined;
  if (typeof said === 'string') return [said];
  if (Array.isArray(said)) return said.filter((holder) => typeof holder === 'string');
  return [of === ordinary ? everybody : admins];
}

const howToProtect = 'say parley protect-streams (docs/growing.md, "Who may cut streams")';

/** The harm that others can do to streams, as a sentence without its end; null when there is none. */
export function accessWarning(access: StreamAccess): string | null {
  switch (access.kind) {
    case 'own':
      return null;
    case 'no_users':
      return 'the event store knows no users (tls=false): whoever reaches it may delete and truncate streams, so let nobody but the service reach it';
    case 'unknown':
      return `the account of EVENTSTORE_URL may not read $settings, so it is not known who may delete or truncate streams: ${howToProtect}`;
    case 'known': {
      const harms = [
        ...harm('delete streams', access.mayDelete),
        ...harm('truncate them', access.mayTruncate),
        ...harm('write into them', access.mayWrite),
      ];
      const troubles = [
        ...(harms.length > 0 ? [`the event store lets ${harms.join(', ')}: ${howToProtect}`] : []),
        ...(access.isAdmin ? [adminTrouble] : []),
      ];
      return troubles.length > 0 ? troubles.join('; ') : null;
    }
  }
}

const adminTrouble =
  'the account of EVENTSTORE_URL is an administrator of the event store, who may delete and truncate streams: give the service a user of its own, and leave $admins to people';

function harm(what: string, holders: readonly string[]): string[] {
  const named = holders.map((holder) => (holder === everybody ? 'every user' : holder));
  return named.length === 0 ? [] : [`${named.join(' and ')} ${what}`];
}
