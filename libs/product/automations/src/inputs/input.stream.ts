import type { StreamKind } from '@app/event-store';
import { sealedForUser } from '@app/sealing';
import { accept, asId, unreachable } from '@app/kernel';
import type { AutomationId, Decider, InputId, Instant, JsonObject, MarksOf, Personal, UserId } from '@app/kernel';
import { v5 as uuidV5 } from 'uuid';

/** Origins of an input: the rule evaluates the first two; an invocation bypasses it. */
export const inputSources = ['signal', 'webhook', 'invoke'] as const;
export type InputSource = (typeof inputSources)[number];

/** An event as its source reports it (specification, "Inbound event"). */
export interface InboundEvent {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: Instant;
  readonly data: JsonObject;
}

/** The only event of stream `input-<inputId>`: an input is recorded once. */
export interface InputRecorded {
  readonly type: 'input.recorded';
  readonly at: Instant;
  readonly inputId: InputId;
  readonly automationId: AutomationId;
  readonly userId: UserId;
  readonly source: InputSource;
  readonly event: Personal<InboundEvent>;
  /**
   * The activation in which it was recorded: no other one evaluates it. An instant could not decide that, because
   * clocks of replicas differ.
   */
  readonly epoch: string;
  /** Set where nothing could fire when it was recorded: it is stored and never evaluated, however soon that changes. */
  readonly dormant?: true;
}

/**
 * The id of an input, derived from its origin like the ids in `automation-ids.ts`.
 * @param key the sender's id of the event, or the idempotency key
 */
export function inputIdOf(automationId: AutomationId, source: InputSource, key: string): InputId {
  return asId<InputId>(uuidV5(`${source}/${key}`, automationId));
}

export interface InputState {
  readonly recordedAt: Instant | null;
  readonly userId: UserId | null;
}

const inputMembers: MarksOf<InputRecorded> = {
  'input.recorded': {
    inputId: 'clear',
    automationId: 'clear',
    userId: 'clear',
    source: 'clear',
    event: 'personal',
    epoch: 'clear',
    dormant: 'clear',
  },
};

type RecordInput = Omit<InputRecorded, 'type'>;

const inputDecider: Decider<InputState, RecordInput, InputRecorded> = {
  initialState: { recordedAt: null, userId: null },
  decide: (command, state) => (state.recordedAt === null ? accept({ type: 'input.recorded', ...command }) : accept()),
  evolve: (_, event) => {
    switch (event.type) {
      case 'input.recorded':
        return { recordedAt: event.at, userId: event.userId };
      default:
        return unreachable(event.type);
    }
  },
};

/** The first input of an id is recorded; a later one changes nothing, and its caller gets no events. */
export const inputKind: StreamKind<InputState, RecordInput, InputRecorded> = {
  category: 'input',
  decider: inputDecider,
  members: inputMembers,
  sealedFor: (_, { userId }) => sealedForUser(userId),
  stateVersion: 2,
};
