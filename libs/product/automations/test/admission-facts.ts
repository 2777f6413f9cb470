import { sentence, words, type Ours } from '@app/kernel';
import type { AutomationEvent, CompletionCause, OccurrenceEvent } from '../src/automation/automation.events';
import {
  arose,
  completed,
  dueAt,
  ended,
  evaluated,
  minutes,
  occurrence,
  runOf,
  secondEpoch,
  seconds,
} from './automation-facts';

/** Facts for specifications of admissions, in addition to those of an automation. */
export const pending = (minute: number): AutomationEvent[] => [evaluated(minute, 'true'), arose(dueAt(minute))];
export const begin = (minute: number, at = seconds(minute * 60 + 1)) => ({
  type: 'BeginAdmission' as const,
  at,
  occurrenceId: occurrence(minute),
  ...runOf(minute),
});
export const deferred = (minute: number, retryAt = minutes(minute + 1)): OccurrenceEvent => ({
  type: 'occurrence.deferred',
  at: seconds(minute * 60 + 2),
  occurrenceId: occurrence(minute),
  reason: words`Full.`,
  retryAt,
});
export const over = <const Text extends string>(type: 'rejected' | 'canceled', minute: number, reason: Ours<Text>) =>
  ended(type, minute, sentence(reason), seconds(minute * 60 + 2));
export const last = (minute: number, because: CompletionCause) => completed(minute, because, seconds(minute * 60 + 2));
export const paused: AutomationEvent = { type: 'automation.paused', at: seconds(61) };
export const held: AutomationEvent = { type: 'automation.held', at: seconds(61), reason: 'odd' };
export const resumed: AutomationEvent = { type: 'automation.resumed', at: seconds(61), epoch: secondEpoch };
