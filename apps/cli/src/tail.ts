import { isJsonObject } from '@app/kernel';
import { abortAfter } from '@app/runtime';
import type { Command } from 'commander';
import { endOfFeed, feedEventOf, interrupted, lineOf } from './feed-access';
import { follow } from './follow-stream';
import { CommandFailed } from './outcome';
import { accessOf, withAccess, type ServiceAccess } from './service-access';

const answerWithinMs = 15_000;

interface TailOptions {
  readonly conversation?: string;
  readonly from?: string;
}

/** `parley tail`: the feed, or the journal of one conversation, line by line as it happens. */
export function tailCommand(program: Command): void {
  const command = program
    .command('tail')
    .description('print what partners are told, or the journal of a conversation, as it happens')
    .option('--conversation <id>', "the journal of this conversation of the token's user")
    .option('--from <cursor>', 'begin after this cursor of the feed, or this seq of the journal; the feed begins now');
  withAccess(command).action(async ({ conversation, from }: TailOptions) => {
    const { json = false } = command.optsWithGlobals<{ readonly json?: boolean }>();
    const access = await accessOf(command);
    const signal = interrupted();
    if (conversation === undefined) await tailFeed(access, from ?? (await endOfFeed(access)), json, signal);
    else await tailJournal(access, conversation, from, json, signal);
  });
}

async function tailFeed(access: ServiceAccess, after: string, json: boolean, signal: AbortSignal): Promise<void> {
  const { baseUrl, partnerKey } = access;
  const headers = { 'x-api-key': partnerKey };
  for await (const { data } of follow({ url: `${baseUrl}/feed/v1/stream`, headers, after, signal })) {
    console.log(json ? data : lineOf(feedEventOf(data)));
  }
}

async function tailJournal(
  { baseUrl, partnerKey, userToken }: ServiceAccess,
  conversation: string,
  after: string | undefined,
  json: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (userToken === null) throw new CommandFailed("a journal is a user's: give --token");
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${userToken}` };
  const signalled = { headers, signal: abortAfter(answerWithinMs) };
  const answer = await fetch(`${baseUrl}/v1/users/me`, signalled).catch(() => null); // no answer: said in the next line
  if (answer === null) throw new CommandFailed(`${baseUrl} does not answer: is the service started?`);
  const me: unknown = await answer.json();
  const userId = isJsonObject(me) ? me['userId'] : undefined;
  if (typeof userId !== 'string')
    throw new CommandFailed(`${baseUrl} does not know the token's user: ${JSON.stringify(me)}`);
  const url = `${baseUrl}/v1/users/${userId}/conversations/${encodeURIComponent(conversation)}/stream`;
  for await (const { event = '', id = '', data } of follow({
    url,
    headers,
    ...(after !== undefined && { after }),
    signal,
  })) {
    const frame: unknown = JSON.parse(data);
    const { type: _, ...payload } = isJsonObject(frame) && isJsonObject(frame['payload']) ? frame['payload'] : {};
    console.log(json ? data : `${id.padStart(5)}  ${event.padEnd(24)}  ${JSON.stringify(payload)}`);
  }
}
