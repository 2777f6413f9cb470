import { randomUUID } from 'node:crypto';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb';
import { TOMBSTONE_REVISION } from '../event';
import { asFailure, badRequest, type Failure } from '../failure';
import { AllSubscription } from '../reading/all-subscription';
import { Delivery } from '../reading/delivery';
import type { EventLog } from '../reading/event-log';
import { readFilter, type EventFilter } from '../reading/filter';
import type { AllFollower, Hub, StreamFollower } from '../reading/hub';
import { Outlet, type ReadCall } from '../reading/outlet';
import { readAll, readStream } from '../reading/read';
import { StreamSubscription } from '../reading/stream-subscription';
import { lastRevision } from '../writing/decide';
import { encodeConfirmation } from '../wire/read-response';
import { readStreamName } from '../wire/write-request';
import type { OpenCalls } from './open-calls';

const { BACKWARDS } = ReadReq.Options.ReadDirection;

/** Serves reads and subscriptions: one call of the protocol for all of them. */
export async function serveRead(calls: OpenCalls, log: EventLog, hub: Hub, call: ReadCall): Promise<void> {
  let follower: StreamFollower | AllFollower | undefined;
  const isSubscription = call.request.getOptions()?.hasSubscription() ?? false;
  const open = { isSubscription, fail: (failure: Failure) => outlet.end(failure) };
  const outlet = new Outlet(call, () => {
    calls.remove(open);
    if (follower) hub.remove(follower);
  });
  calls.add(open);
  if (calls.refusal) return outlet.end(calls.refusal);
  try {
    const options = call.request.getOptions();
    if (!options) throw badRequest('a read needs options');
    const delivery = new Delivery(log, outlet, {
      resolveLinks: options.getResolveLinks(),
      uuids: options.getUuidOption()?.hasStructured() ? 'structured' : 'string',
    });
    const filter = readFilterOption(options, calls.checkpoints);
    if (!isSubscription) return await readOnce(log, outlet, delivery, options, filter);
    if (options.getReadDirection() === BACKWARDS) throw badRequest('a subscription reads forwards');
    const stream = options.getStream();
    if (stream) {
      const subscription = await subscribeToStream(log, outlet, delivery, stream);
      if (!subscription) return;
      follower = subscription;
      hub.addToStream(subscription);
    } else {
      const subscription = new AllSubscription(log, outlet, delivery, startOfAll(log, options), filter);
      follower = subscription;
      hub.addToAll(subscription);
    }
    // The client may have gone while the stream's end was looked up.
    if (outlet.closed) return hub.remove(follower);
    outlet.send(encodeConfirmation(randomUUID()));
    follower.wake();
  } catch (error) {
    outlet.end(asFailure(error));
  }
}

async function readOnce(
  log: EventLog,
  outlet: Outlet,
  delivery: Delivery,
  options: ReadReq.Options,
  filter: EventFilter | undefined,
): Promise<void> {
  const backwards = options.getReadDirection() === BACKWARDS;
  const plan = { log, outlet, delivery, backwards, count: Number(options.getCount()) };
  const stream = options.getStream();
  if (stream) {
    const from = stream.hasRevision() ? Number(stream.getRevision()) : stream.hasEnd() ? Infinity : 0;
    return readStream(plan, readStreamName(stream.getStreamIdentifier()), from);
  }
  const all = options.getAll();
  const position = all?.getPosition();
  const from = position ? Number(position.getCommitPosition()) : all?.hasEnd() ? Infinity : 0;
  return readAll(plan, from, filter);
}

/** Undefined when the stream is over: the outlet has been told. The subscription follows as soon as it is in the hub. */
async function subscribeToStream(
  log: EventLog,
  outlet: Outlet,
  delivery: Delivery,
  options: ReadReq.Options.StreamOptions,
): Promise<StreamSubscription | undefined> {
  const stream = readStreamName(options.getStreamIdentifier());
  const head = await log.head(stream);
  const fromEnd = options.hasEnd();
  if (head.tombstoned && !fromEnd) {
    outlet.end({ kind: 'stream-deleted', stream });
    return undefined;
  }
  const end = head.tombstoned ? TOMBSTONE_REVISION : lastRevision(head, stream);
  const after = options.hasRevision() ? Number(options.getRevision()) : fromEnd ? end : -1;
  return new StreamSubscription(stream, log, outlet, delivery, after, fromEnd);
}

function startOfAll(log: EventLog, options: ReadReq.Options): number {
  const all = options.getAll();
  const position = all?.getPosition();
  if (position) return Number(position.getCommitPosition());
  return all?.hasEnd() ? log.ring.lastPosition : 0;
}

function readFilterOption(options: ReadReq.Options, checkpoints: boolean): EventFilter | undefined {
  const filter = options.getFilter();
  if (!filter) return undefined;
  return checkpoints ? readFilter(filter) : { ...readFilter(filter), checkpointEvery: Infinity };
}
