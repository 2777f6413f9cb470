import { abortAfter } from '@app/runtime';
import { KeyedQueue } from '@app/event-store';
import { noticeTypes } from '@app/notices';
import { InvalidArgumentError, Option, type Command } from 'commander';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { beginningAt, feedEventOf, interrupted, type FeedEvent } from './feed-access';
import { follow } from './follow-stream';
import { CommandFailed } from '../terminal/outcome';
import { say } from '../terminal/output';
import { secretOf, withSecret, type SecretOption } from '../terminal/secrets';
import { accessOf, withAccess } from '../service/service-access';
import { httpUrl } from '../service/service-fetch';

/** The time that an endpoint of the service may take. */
const answerWithinMs = 15_000;
/** A developer's program is back soon, or does not accept the event at all. */
const retryAfterMs = [1_000, 3_000, 10_000];
/** Deliveries in flight and waiting; reading of the feed pauses while there are so many. */
const underWayMax = 100;

const signing: SecretOption = {
  name: 'secret',
  description: 'the whsec_… that signs deliveries',
  variable: 'PARLEY_WEBHOOK_SECRET',
};

interface ListenOptions {
  readonly forwardTo: string;
  readonly types: readonly string[];
  readonly from?: string;
}

/** `parley listen`: delivers what an endpoint would get to a program on this machine. */
export function listenCommand(program: Command): void {
  const command = program
    .command('listen')
    .description('deliver the events for partners to a URL on this machine, signed as webhooks are')
    .addOption(new Option('--forward-to <url>', 'where to deliver').argParser(httpUrl).makeOptionMandatory())
    .addOption(
      new Option('--types <types>', 'these types only, with commas between').default([], 'all').argParser(types),
    )
    .option('--from <cursor>', 'begin after this cursor of the feed; now unless given');
  withSecret(withAccess(command), signing).action(async (options: ListenOptions) => {
    const access = await accessOf(command);
    const after = await beginningAt(access, options.from);
    const given = await givenSecret(command);
    const secret = given ?? `whsec_${randomBytes(32).toString('base64')}`;
    const shown = given === undefined ? secret : 'the secret that was given';
    say(`Delivering to ${options.forwardTo}, signed by ${shown}. Ctrl-C ends it.`);
    const signal = interrupted();
    const delivery = new LocalDeliveries(options.forwardTo, new Webhook(secret), signal);
    const headers = { 'x-api-key': access.partnerKey };
    for await (const { data } of follow({ url: `${access.baseUrl}/feed/v1/stream`, headers, after, signal })) {
      const event = feedEventOf(data);
      if (options.types.length === 0 || options.types.includes(event.type)) await delivery.take(event);
    }
  });
}

/** Delivers events, those of one stream one after the other. */
class LocalDeliveries {
  private readonly lanes = new KeyedQueue(underWayMax);
  private readonly underWay = new Set<Promise<void>>();

  constructor(
    private readonly url: string,
    private readonly webhook: Webhook,
    private readonly signal: AbortSignal,
  ) {}

  /** Resolves early, except while too many are in flight. */
  async take(event: FeedEvent): Promise<void> {
    while (this.underWay.size >= underWayMax) await Promise.race(this.underWay);
    const delivery: Promise<void> = this.lanes
      .run(laneOf(event), () => this.deliver(event))
      .finally(() => this.underWay.delete(delivery));
    this.underWay.add(delivery);
  }

  private async deliver(event: FeedEvent): Promise<void> {
    for (const pauseMs of [...retryAfterMs, null]) {
      const startedMs = performance.now();
      const { taken, outcome } = await this.attempt(event);
      if (this.signal.aborted) return;
      const next = taken ? '' : pauseMs === null ? ', given up' : `, again in ${pauseMs / 1_000} s`;
      say(
        `${event.timestamp}  ${event.type.padEnd(29)}  ${event.id}  ${outcome}${next} (${Math.round(performance.now() - startedMs)} ms)`,
      );
      if (taken || pauseMs === null) return;
      await sleep(pauseMs, undefined, { signal: this.signal }).catch(() => undefined); // the abort is checked next
      if (this.signal.aborted) return;
    }
  }

  private async attempt({ id, type, timestamp, data }: FeedEvent): Promise<{ taken: boolean; outcome: string }> {
    const body = JSON.stringify({ type, timestamp, data });
    const now = new Date();
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': this.webhook.sign(id, now, body),
    };
    const signal = AbortSignal.any([this.signal, abortAfter(answerWithinMs)]);
    try {
      const answer = await fetch(this.url, { method: 'POST', headers, body, redirect: 'manual', signal });
      await answer.body?.cancel();
      return { taken: answer.ok, outcome: String(answer.status) };
    } catch (error) {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause.message : String(error);
      return { taken: false, outcome: `no answer: ${cause}` };
    }
  }
}

/** The lane of an event: the subject that it belongs to. */
function laneOf({ data }: FeedEvent): string {
  const { conversationId, operationId, automationId, userId } = data;
  return JSON.stringify(conversationId ?? operationId ?? automationId ?? userId);
}

function types(text: string): readonly string[] {
  const named = text.split(',').map((type) => type.trim());
  const known: readonly string[] = noticeTypes;
  if (!named.every((type) => known.includes(type))) throw new InvalidArgumentError(`There are: ${known.join(', ')}.`);
  return named;
}

/** @throws CommandFailed for a secret of another form */
async function givenSecret(command: Command): Promise<string | undefined> {
  const secret = await secretOf(command, signing);
  if (secret !== undefined && !/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret))
    throw new CommandFailed('a secret of webhooks is whsec_ and base64');
  return secret;
}
