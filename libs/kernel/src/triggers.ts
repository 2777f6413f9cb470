/** What made an automation fire; `event` is reserved by the specification (decisions.md, section 6, "Occurrence"). */
export type OccurrenceTrigger = 'schedule' | 'event' | 'signal' | 'webhook' | 'invoke';
