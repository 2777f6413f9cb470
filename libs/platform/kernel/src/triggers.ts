/** The triggers of an automation's occurrence; `event` is reserved by the specification (docs/decisions/automations.md, "Occurrence"). */
export const occurrenceTriggers = ['schedule', 'event', 'signal', 'webhook', 'invoke'] as const;
export type OccurrenceTrigger = (typeof occurrenceTriggers)[number];
