import { randomUUID } from 'node:crypto';
import { encodeConfirmation, type ReadOptions, type ReadStart } from '@app/event-store-wire';
import { TOMBSTONE_REVISION } from '../event';
import { asFailure, badRequest, type Failure } from '../failure';
import { AllSubscription } from '../reading/all-subscription';
import { Delivery } from '../reading/delivery';
import type { EventLog } from '../reading/event-log';
import { filterOf, type EventFilter } from '../reading/filter';
import type { AllFollower, Hub, StreamFollower } from '../reading/hub';
import { Outlet, type ReadCall } from '../reading/outlet';
import { readAll, readStream } from '../reading/read';
import { StreamSubscription } from '../reading/stream-subscription';
import { lastRevision } from '../streams/head';
import type { OpenCalls } from './open-calls';

/** Serves reads and subscriptions, which are one call in the protocol. */
export async function serveRead(calls: OpenCalls, log: EventLog, hub: Hub, call: ReadCall): Promise<void> {
  let follower: StreamFollower | AllFollower | undefined;
  const { options } = call.request;
  const isSubscription = options?.isSubscription ?? false;
  const open = { isSubscription, fail: (failure: Failure) => outlet.end(failure) };
  const outlet = new Outlet(call, () => {
    calls.remove(open);
    if (follower) hub.remove(follower);
  });
  calls.add(open);
  if (calls.refusal) return outlet.end(calls.refusal);
  try {
    if (!options) throw badRequest('a read needs options');
    const delivery = new Delivery(log, outlet, options);
    const filter = filterWanted(options, calls.checkpoints);
    if (!isSubscription) return await readOnce(log, outlet, delivery, options, filter);
    if (options.backwards) throw badRequest('a subscription reads forwards');
    if (options.stream !== undefined) {
      const subscription = await subscribeToStream(log, outlet, delivery, options.stream, options.from);
      if (!subscription) return;
      follower = subscription;
      hub.addToStream(subscription);
    } else {
      const subscription = new AllSubscription(log, outlet, delivery, startOfAll(log, options.from), filter);
      follower = subscription;
      hub.addToAll(subscription);
    }
    // The client may have left while the stream's end was read.
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
  { stream, from, backwards, count }: ReadOptions,
  filter: EventFilter | undefined,
): Promise<void> {
  const plan = { log, outlet, delivery, backwards, count };
  const first = from === 'start' ? 0 : from === 'end' ? Infinity : from;
  return stream === undefined ? readAll(plan, first, filter) : readStream(plan, stream, first);
}

/** Returns undefined when the stream has ended; the outlet is ended then. The subscription follows as soon as it is in the hub. */
async function subscribeToStream(
  log: EventLog,
  outlet: Outlet,
  delivery: Delivery,
  stream: string,
  from: ReadStart,
): Promise<StreamSubscription | undefined> {
  const head = await log.head(stream);
  const fromEnd = from === 'end';
  if (head.tombstoned && !fromEnd) {
    outlet.end({ kind: 'stream-deleted', stream });
    return undefined;
  }
  const end = head.tombstoned ? TOMBSTONE_REVISION : lastRevision(head, stream);
  const after = from === 'start' ? -1 : from === 'end' ? end : from;
  return new StreamSubscription(stream, log, outlet, delivery, after, fromEnd);
}

function startOfAll(log: EventLog, from: ReadStart): number {
  if (from === 'start') return 0;
  return from === 'end' ? log.ring.lastPosition : from;
}

function filterWanted({ filter }: ReadOptions, checkpoints: boolean): EventFilter | undefined {
  if (!filter) return undefined;
  return checkpoints ? filterOf(filter) : { ...filterOf(filter), checkpointEvery: Infinity };
}
