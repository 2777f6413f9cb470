import { accept, words as say, type Decision, type OccurrenceTrigger, type Words } from '@app/kernel';
import type { PassOverInput, RecordMatch } from '../automation.commands';
import type { AutomationEvent, InputPassedOver, PassedOver } from '../automation.events';
import type { Automation, FiringMemory } from '../automation.state';

/**
 * Invocations that are remembered individually. Other inputs are evaluated in the order of the store, so their last
 * position suffices; an invocation gets its occurrence as soon as it is recorded, ahead of inputs that are not
 * evaluated yet.
 */
const invocationsRememberedMax = 1_000;

/** Records that an input leads to no occurrence, once; no event if it was handled before. */
export function passOver(command: PassOverInput, { memory }: Automation): Decision<AutomationEvent> {
  const { at, inputId, position, outcome } = command;
  if (isHandled(memory, 'signal', position)) return accept();
  return accept({ type: 'input.passed_over', at, inputId, inputPosition: position, outcome });
}

/** The events of an evaluation that leads to no occurrence: due times leave no trace. */
export function passOverInput({ at, input }: RecordMatch, outcome: PassedOver): InputPassedOver[] {
  if (input === null) return [];
  return [{ type: 'input.passed_over', at, inputId: input.inputId, inputPosition: input.position, outcome }];
}

/** Whether an input of that position in the store was handled before. */
export function isHandled(memory: FiringMemory, trigger: OccurrenceTrigger, position: number): boolean {
  const { lastInputPosition, invokedPositions, invokedUpTo } = memory;
  if (position <= lastInputPosition) return true;
  return trigger === 'invoke' && (position <= invokedUpTo || invokedPositions.includes(position));
}

/** The memory after an input was handled. */
export function afterInput(memory: FiringMemory, trigger: OccurrenceTrigger, position: number): FiringMemory {
  if (trigger === 'invoke') return afterInvocation(memory, position);
  const lastInputPosition = Math.max(memory.lastInputPosition, position);
  const invokedPositions = memory.invokedPositions.filter((invoked) => invoked > lastInputPosition);
  return { ...memory, lastInputPosition, invokedPositions };
}

function afterInvocation(memory: FiringMemory, position: number): FiringMemory {
  const positions = [...memory.invokedPositions, position].sort((one, other) => one - other);
  const forgotten = positions.slice(0, -invocationsRememberedMax).at(-1) ?? memory.invokedUpTo;
  return { ...memory, invokedPositions: positions.slice(-invocationsRememberedMax), invokedUpTo: forgotten };
}

/** The reason why an automation does not evaluate an activation's input, or takes no occurrence from it; in words for its user. */
export interface Obstacle {
  readonly outcome: 'rejected' | 'stale' | 'paused';
  readonly words: Words;
}

/** The first obstacle to an input of that activation; null where there is none. */
export function obstacleTo(epoch: string, automation: Automation): Obstacle | null {
  const { state, completed, held } = automation;
  if (state === 'archived') return { outcome: 'rejected', words: say`The automation was archived.` };
  if (completed) return { outcome: 'rejected', words: finishedWords };
  // Changed, or paused and resumed, since then: an evaluation that was missed is not made up for.
  if (epoch !== automation.epoch) return { outcome: 'stale', words: say`The automation was changed meanwhile.` };
  if (state === 'paused') return { outcome: 'paused', words: say`The automation was paused.` };
  return held ? { outcome: 'paused', words: say`An operator holds the automation.` } : null;
}

export const finishedWords = say`The automation has finished.`;
