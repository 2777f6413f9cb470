import {
  asId,
  erased,
  instantOf,
  ok,
  Unavailable,
  type AutomationId,
  type ConversationId,
  type InputId,
  type Instant,
  type Result,
  type RunId,
  type UserId,
} from '@app/kernel';
import type { Timer } from '@app/timers';
import type { AutomationDefinition } from '../src/definition/automation-definition';
import type { AutomationCommand } from '../src/automation/automation.commands';
import { automationDecider } from '../src/automation/automation.decider';
import type { AutomationEvent } from '../src/automation/automation.events';
import type { Automation, AutomationState } from '../src/automation/automation.state';
import type { InputRecorded } from '../src/inputs/input.stream';
import { handleDue, handleInput } from '../src/firing/fire';
import type { FiringPorts } from '../src/firing/firing-ports';

export const automationId = asId<AutomationId>('11111111-1111-4111-8111-111111111111');
const userId = asId<UserId>('22222222-2222-4222-8222-222222222222');
export const epoch = '33333333-3333-4333-8333-333333333333';
export const startMs = Date.parse('2026-03-01T10:00:00.000Z');
export const at = (seconds: number): Instant => instantOf(startMs + seconds * 1000);

export const everyMinute: AutomationDefinition = {
  name: 'Look',
  prompt: 'Look at it.',
  conversation: 'new',
  condition: null,
  wake: { kind: 'schedule', schedule: { kind: 'every', seconds: 60 } },
  firing: { trigger: 'match', cooldownSeconds: 0, overlap: 'queue', retryForSeconds: 900 },
};
export const onEvents: AutomationDefinition = { ...everyMinute, wake: { kind: 'event', types: ['paid'] } };

export const heldNow = { type: 'HoldAutomation', at: at(1), reason: 'why' } as const;

/** An automation, a clock, timers and the admission of runs, in memory. */
export class SmallWorld implements FiringPorts {
  state: AutomationState = null;
  readonly events: AutomationEvent[] = [];
  readonly timers = new Map<string, Timer>();
  nowSeconds = 0;
  pausedByOperator = false;
  isDisabled = false;
  answers: (Result<unknown> | Unavailable)[] = [];
  looks = 0;

  constructor(definition: AutomationDefinition) {
    this.give({ type: 'CreateAutomation', at: at(0), userId, definition, symbols: {}, epoch, review: null });
  }

  give(command: AutomationCommand): Automation {
    const decision = automationDecider.decide(command, this.state);
    if (!decision.accepted) throw new Error(`${command.type} was refused`);
    for (const event of decision.events) this.state = automationDecider.evolve(this.state, event);
    this.events.push(...decision.events);
    if (this.state === null) throw new Error('there is no automation');
    return this.state;
  }

  act(type: 'PauseAutomation' | 'ArchiveAutomation'): Automation {
    return this.give({ type, at: at(1), userId, revision: `1.${epoch}` });
  }

  begin(another: string): Automation {
    this.act('PauseAutomation');
    return this.give({ type: 'ResumeAutomation', at: at(1), userId, revision: `1.${epoch}`, epoch: another });
  }

  now: FiringPorts['now'] = () => at(this.nowSeconds);
  fold: FiringPorts['fold'] = () => Promise.resolve(this.state);
  recall: FiringPorts['recall'] = () => Promise.resolve(this.state);
  record: FiringPorts['record'] = (_: AutomationId, command: AutomationCommand) => Promise.resolve(this.give(command));
  readings: FiringPorts['readings'] = () => Promise.resolve({});
  looked: FiringPorts['looked'] = () => {
    this.looks += 1;
    return Promise.resolve();
  };
  isPaused: FiringPorts['isPaused'] = () => Promise.resolve(this.pausedByOperator);
  isActive: FiringPorts['isActive'] = () => Promise.resolve(!this.isDisabled);
  placeFor: FiringPorts['placeFor'] = (_, __, { occurrenceId }) =>
    Promise.resolve({ conversationId: asId<ConversationId>('c'), runId: asId<RunId>(`run of ${occurrenceId}`) });
  admit: FiringPorts['admit'] = () => {
    const answer = this.answers.shift() ?? ok(null);
    return answer instanceof Unavailable ? Promise.reject(answer) : Promise.resolve(answer);
  };
  schedule: FiringPorts['schedule'] = (timer: Timer) => {
    this.timers.set(timer.id, timer);
    return Promise.resolve();
  };

  async due(seconds: number, dueSeconds = seconds): Promise<void> {
    this.nowSeconds = seconds;
    await handleDue(this, { automationId, epoch, dueAt: at(dueSeconds) });
  }

  /** @param type of its event; null for one that was erased */
  async input(seconds: number, source: InputRecorded['source'], type: string | null = 'paid'): Promise<void> {
    this.nowSeconds = seconds;
    const inputId = asId<InputId>(`44444444-4444-4444-8444-${String(seconds).padStart(12, '0')}`);
    const event = type === null ? erased : { id: inputId, type, occurredAt: at(seconds), data: {} };
    const input = { inputId, automationId, userId, source, epoch, event };
    await handleInput(this, { type: 'input.recorded', at: at(seconds), ...input }, seconds);
  }

  /** The events of occurrences since the last call. */
  news(): string[] {
    const news = this.events.filter(({ type }) => type.startsWith('occurrence.')).map(({ type }) => type.slice(11));
    this.events.length = 0;
    return news;
  }

  nextDue(): Instant | undefined {
    return this.timers.get(`automation/${automationId}/${epoch}`)?.dueAt;
  }
}
