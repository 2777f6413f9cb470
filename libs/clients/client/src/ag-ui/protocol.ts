import type { Event, Interrupt, Message, ResumeEntry, RunFinishedOutcome } from '@ag-ui/core';

// Only the types of @ag-ui/core are used, so that nothing of it is needed at run time.
export type { Interrupt, Message, ResumeEntry, RunFinishedOutcome };

/** The version of AG-UI that is spoken here. */
export const protocolVersion = '1.0';

type OnTheWire<Known> = Known extends { type: infer Type extends string }
  ? Omit<Known, 'type'> & { readonly type: `${Type}` }
  : never;

/** An AG-UI event as it goes over the wire: its `type` is the text that `EventType` of `@ag-ui/core` names. */
export type AgUiEvent = OnTheWire<Event>;
