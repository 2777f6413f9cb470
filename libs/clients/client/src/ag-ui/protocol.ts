import type { Event, Interrupt, Message, ResumeEntry, RunFinishedOutcome } from '@ag-ui/core';

// Imports only the types of @ag-ui/core, so that the package is not needed at run time.
export type { Interrupt, Message, ResumeEntry, RunFinishedOutcome };

/** The version of AG-UI that this package speaks. */
export const protocolVersion = '1.0';

type OnTheWire<Known> = Known extends { type: infer Type extends string }
  ? Omit<Known, 'type'> & { readonly type: `${Type}` }
  : never;

/** An AG-UI event as it is sent: its `type` is the text that `EventType` of `@ag-ui/core` names. */
export type AgUiEvent = OnTheWire<Event>;
