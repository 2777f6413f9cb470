import {
  asId,
  epochMsOf,
  instantOf,
  ok,
  type AutomationId,
  type ConversationId,
  type Instant,
  type RunId,
} from '@app/kernel';
import type { Timer } from '@app/timers';
import type { AutomationDefinition } from '../src/definition/automation-definition';
import type { AutomationCommand } from '../src/automation/automation.commands';
import { automationDecider } from '../src/automation/automation.decider';
import type { AutomationEvent } from '../src/automation/automation.events';
import type { Automation, AutomationState } from '../src/automation/automation.state';
import { handleDue, handleEnd, handleInput, handleRunEnded } from '../src/firing/fire';
import { dueTimer, dueTimers, endTimer } from '../src/firing/firing-timers';
import type { FiringPorts } from '../src/firing/firing-ports';
import type { InputRecorded } from '../src/inputs/input.stream';
import { nextDue } from '../src/definition/schedule';
import { readingsAt, type Sample, type SampleHistory } from '../src/sources/source-sample';
import { ada } from './automation-facts';

/** The only activation of a rule's life. */
export const epoch = '0b7a3b7e-0000-7000-8000-0000000000e1';
export const automationId = asId<AutomationId>('0b7a3b7e-0000-7000-8000-00000000000a');

/**
 * One rule that fires live: the real firing process and decider, over a clock, timers and samples in memory. Every run
 * is admitted and ends at once. All inputs and timers are handled in order, each a little late.
 */
export class LiveRule {
  readonly events: AutomationEvent[] = [];
  private state: AutomationState = automationDecider.initialState;
  private nowMs: number;
  private readonly timers = new Map<string, Timer>();

  constructor(
    readonly definition: AutomationDefinition,
    readonly epochAt: Instant,
    private readonly history: SampleHistory,
    private readonly lateMs: () => number,
  ) {
    this.nowMs = epochMsOf(epochAt);
    this.record({ type: 'CreateAutomation', at: epochAt, userId: ada, definition, symbols: {}, epoch, review: null });
    const { wake, firing } = definition;
    const due = wake.kind === 'schedule' ? nextDue(wake.schedule, epochAt, epochAt) : null;
    if (due !== null) this.schedule(dueTimer(automationId, epoch, due));
    if (firing.endAt !== undefined) this.schedule(endTimer(automationId, epoch, firing.endAt));
  }

  /** Lives until an instant. `inputs` are given oldest first; a timer of the same instant precedes an input. */
  async live(inputs: readonly InputRecorded[], until: Instant): Promise<void> {
    for (const [position, input] of inputs.entries()) {
      await this.runTimers(input.at);
      this.comeTo(input.at);
      await handleInput(this.world(), input, position + 1);
      await this.endRuns();
    }
    await this.runTimers(until);
  }

  private async runTimers(until: Instant): Promise<void> {
    for (let timer = this.nextTimer(until); timer !== undefined; timer = this.nextTimer(until)) {
      this.timers.delete(timer.id);
      this.comeTo(timer.dueAt);
      if (timer.kind === dueTimers) await handleDue(this.world(), { automationId, epoch, dueAt: timer.dueAt });
      else await handleEnd(this.world(), { automationId, epoch });
      await this.endRuns();
    }
  }

  private nextTimer(until: Instant): Timer | undefined {
    const due = [...this.timers.values()].filter(({ dueAt }) => dueAt <= until);
    return due.sort((one, other) => (one.dueAt < other.dueAt ? -1 : 1))[0];
  }

  private async endRuns(): Promise<void> {
    for (const { runId } of this.state?.active ?? []) {
      if (runId !== null) await handleRunEnded(this.world(), automationId, runId);
    }
  }

  private comeTo(at: Instant): void {
    this.nowMs = Math.max(this.nowMs, epochMsOf(at) + this.lateMs());
  }

  private schedule(timer: Timer): void {
    this.timers.set(timer.id, timer);
  }

  private record(command: AutomationCommand): Automation {
    const decision = automationDecider.decide(command, this.state);
    if (!decision.accepted) throw new Error(`${command.type} was refused`);
    this.events.push(...decision.events);
    this.state = decision.events.reduce(automationDecider.evolve, this.state);
    if (this.state === null) throw new Error('there is no automation');
    return this.state;
  }

  private world(): FiringPorts {
    const now = instantOf(this.nowMs);
    return {
      now: () => now,
      fold: async () => this.state,
      recall: async () => this.state,
      record: async (_, command) => this.record(command),
      // As the table would answer: the last sample of each source at or before the instant, among those that exist by
      // now.
      readings: async ({ definition: { condition } }, at, delivered) => {
        const last: Record<string, readonly Sample[]> = {};
        for (const [name, samples = []] of Object.entries(this.history))
          last[name] = samples.filter((sample) => sample.at <= at && sample.at <= now).slice(-1);
        return readingsAt(condition, last, at, delivered);
      },
      looked: async () => undefined,
      isPaused: async () => false,
      isActive: async () => true,
      placeFor: async (_, _automation, { occurrenceId }) => ({
        conversationId: asId<ConversationId>(occurrenceId),
        runId: asId<RunId>(occurrenceId),
      }),
      admit: async () => ok(null),
      schedule: async (timer) => this.schedule(timer),
    };
  }
}
