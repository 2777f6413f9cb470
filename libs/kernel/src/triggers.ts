/** What made an automation fire; `event` is reserved by the specification (decisions.md, section 6, "Occurrence"). */
export const occurrenceTriggers = ['schedule', 'event', 'signal', 'webhook', 'invoke'] as const;
export type OccurrenceTrigger = (typeof occurrenceTriggers)[number];
