import type { Instant } from '@app/kernel';
import { inputOccurrenceId } from '../automation/automation-ids';
import type { RecordMatch } from '../automation/automation.commands';
import type { InputRecorded } from './input.stream';

/** An evaluation to be recorded, without its time and verdict. */
export type Match = Omit<RecordMatch, 'type' | 'at' | 'epoch' | 'verdict' | 'place'>;

/** The match that an input is evaluated as; the request and the reactor derive the same one. */
export function matchOf({ automationId, inputId, at: forAt, source }: InputRecorded, position: number): Match {
  return {
    forAt,
    dueAt: null,
    tooLate: null,
    trigger: source,
    input: { inputId, position },
    occurrenceId: inputOccurrenceId(automationId, inputId),
  };
}

/** The command by which an invocation gets its occurrence; a repetition changes nothing. @param position of the input in the store */
export function invocation(input: InputRecorded, position: number, at: Instant): RecordMatch {
  const { epoch } = input;
  return { type: 'RecordMatch', at, epoch, ...matchOf(input, position), verdict: 'true' };
}
