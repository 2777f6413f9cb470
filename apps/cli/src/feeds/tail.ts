import { isJsonObject } from '@app/kernel';
import type { Command } from 'commander';
import { beginningAt, feedEventOf, interrupted, lineOf, userOf } from './feed-access';
import { follow } from './follow-stream';
import { CommandFailed } from '../terminal/outcome';
import { say } from '../terminal/output';
import { accessOf, withAccess, type ServiceAccess } from '../service/service-access';

interface TailOptions {
  readonly conversation?: string;
  readonly from?: string;
}

/** `parley tail`: the feed, or the journal of one conversation, line by line as it happens. */
export function tailCommand(program: Command): void {
  const command = program
    .command('tail')
    .description('print the events for partners, or the journal of a conversation, as they happen')
    .option('--conversation <id>', "the journal of this conversation of the token's user")
    .option('--from <cursor>', 'begin after this cursor of the feed, or this seq of the journal; the feed begins now');
  withAccess(command).action(async ({ conversation, from }: TailOptions) => {
    const { json = false } = command.optsWithGlobals<{ readonly json?: boolean }>();
    const access = await accessOf(command);
    if (conversation === undefined) await tailFeed(access, await beginningAt(access, from), json);
    else await tailJournal(access, conversation, from, json);
  });
}

async function tailFeed({ baseUrl, partnerKey }: ServiceAccess, after: string, json: boolean): Promise<void> {
  const stream = { url: `${baseUrl}/feed/v1/stream`, headers: { 'x-api-key': partnerKey }, after };
  for await (const { data } of follow({ ...stream, signal: interrupted() })) {
    say(json ? data : lineOf(feedEventOf(data)));
  }
}

async function tailJournal(
  { baseUrl, partnerKey, userToken }: ServiceAccess,
  conversation: string,
  after: string | undefined,
  json: boolean,
): Promise<void> {
  if (userToken === null) throw new CommandFailed("a journal is a user's: give --token-file or PARLEY_USER_TOKEN");
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${userToken}` };
  const userId = await userOf(baseUrl, headers);
  const url = `${baseUrl}/v1/users/${userId}/conversations/${encodeURIComponent(conversation)}/stream`;
  for await (const { event = '', id = '', data } of follow({
    url,
    headers,
    ...(after !== undefined && { after }),
    signal: interrupted(),
  })) {
    const frame: unknown = JSON.parse(data);
    const { type: _, ...payload } = isJsonObject(frame) && isJsonObject(frame['payload']) ? frame['payload'] : {};
    say(json ? data : `${id.padStart(5)}  ${event.padEnd(24)}  ${JSON.stringify(payload)}`);
  }
}
