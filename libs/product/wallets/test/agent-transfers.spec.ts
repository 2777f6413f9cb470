import { encodeEvent, EventStore, FoldedStates, streamName } from '@app/event-store';
import { asId, type OperationId } from '@app/kernel';
import { someCause } from '@app/testing/deciders';
import { type Replica, type Slices, startWallets } from '@app/testing/slices';
import { v7 as uuidV7 } from 'uuid';
import { AgentTransfers } from '../src/operation/agent-transfers';
import { operationDecider } from '../src/operation/operation.decider';
import type { OperationEvent } from '../src/operation/operation.events';
import { OperationStart } from '../src/operation/operation-start';
import { operationKind } from '../src/operation/operation.stream';
import { accepted, journaled, used } from './operation-facts';

const answerAfterMs = 30;

let slices: Slices;
let replica: Replica;
beforeAll(async () => {
  slices = await startWallets();
  replica = await slices.replica({ projecting: false });
});
afterAll(() => slices.stop());

const after = (...events: readonly OperationEvent[]) => ({
  state: events.reduce(operationDecider.evolve, operationDecider.initialState),
  revision: events.length - 1,
});

describe('waiting for a transfer that this process drives', () => {
  it('lets the process go on while its own append is known by its event, and not yet by its answer', async () => {
    const operationId = asId<OperationId>(uuidV7());
    const states = replica.get(FoldedStates);
    replica.get(OperationStart).offer({ goOn: () => true, isDriving: () => true });
    states.keep(operationKind, operationId, after(used));
    // Publish the events as a subscription would.
    const store = replica.get(EventStore);
    const stream = streamName(operationKind, operationId);
    const events = [used, journaled(0)].map((event) => encodeEvent(operationKind, event, someCause()));
    await store.append(stream, events, -1);
    store.feed.publish(await store.readStream(stream, 0, 2));
    const underWay = replica.get(AgentTransfers).untilUnderWay(operationId, new AbortController().signal);
    // If the process blocks, this never runs.
    setTimeout(() => states.keep(operationKind, operationId, after(used, journaled(0), accepted(0))), answerAfterMs);
    expect(await underWay).toEqual(after(used, journaled(0), accepted(0)).state);
  });
});
