import type { StreamKind } from '@app/event-store';
import {
  accept,
  type AutomationId,
  type Decider,
  type InputId,
  type Instant,
  type JsonObject,
  type UserId,
} from '@app/kernel';

/** Where an input comes from: the first two are looked at by the rule, an invocation bypasses it. */
export const inputSources = ['signal', 'webhook', 'invoke'] as const;
export type InputSource = (typeof inputSources)[number];

/** What a source says that happened (specification, "Inbound event"). */
export interface InboundEvent {
  readonly id: string;
  readonly type: string;
  readonly occurredAt: Instant;
  readonly data: JsonObject;
}

/** The one event of stream `input-<inputId>`: an input is seen once. */
export interface InputRecorded {
  readonly type: 'input.recorded';
  readonly at: Instant;
  readonly inputId: InputId;
  readonly automationId: AutomationId;
  readonly userId: UserId;
  readonly source: InputSource;
  readonly event: InboundEvent;
  /** The activation in which it came: no other one looks at it. Clocks of replicas differ, so no instant can tell. */
  readonly epoch: string;
  /** Set where nothing could fire when it came: it is kept and never looked at, however soon that ends. */
  readonly dormant?: true;
}

export interface InputState {
  readonly recordedAt: Instant | null;
}

type RecordInput = Omit<InputRecorded, 'type'>;

const inputDecider: Decider<InputState, RecordInput, InputRecorded> = {
  initialState: { recordedAt: null },
  decide: (command, state) => (state.recordedAt === null ? accept({ type: 'input.recorded', ...command }) : accept()),
  evolve: (_, event) => ({ recordedAt: event.at }),
};

/** The first input of an id stands; a later one changes nothing, and its caller sees that there are no events. */
export const inputKind: StreamKind<InputState, RecordInput, InputRecorded> = {
  category: 'input',
  decider: inputDecider,
  stateVersion: 1,
};
