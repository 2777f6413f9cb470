import { HttpAgent, type AgentSubscriber, type Interrupt, type RunAgentParameters } from '@ag-ui/client';
import type { RunErrorEvent } from '@ag-ui/core';

const pauseMs = 20;

/**
 * A page with the unmodified `HttpAgent` of `@ag-ui/client`: it sends a message or answers, and after a cut sends the
 * same again. Runs in Node and in a browser.
 */
export class AgUiUser {
  readonly agent: HttpAgent;
  /** `parley.…` events by their `seq`. */
  readonly told = new Map<number, { readonly name: string; readonly value: Record<string, unknown> }>();
  /** Answers that were not accepted. */
  readonly refused: Record<string, unknown>[] = [];
  requests = 0;
  error: RunErrorEvent | null = null;

  constructor(url: string, conversationId: string) {
    this.agent = new HttpAgent({ url, threadId: conversationId });
  }

  async say(text: string, id: string = crypto.randomUUID()): Promise<void> {
    this.agent.addMessage({ id, role: 'user', content: text });
    await this.run({});
  }

  /** Follows the conversation, as after a reload. */
  async follow(): Promise<void> {
    await this.run({});
  }

  async answer(payloadOf: (interrupt: Interrupt) => object): Promise<void> {
    const interrupts = this.agent.pendingInterrupts;
    await this.run({
      resume: interrupts.map((one) => ({ interruptId: one.id, status: 'resolved', payload: payloadOf(one) })),
    });
  }

  private async run(parameters: RunAgentParameters): Promise<void> {
    this.error = null;
    for (let isOver = false; !isOver; await new Promise((resolve) => setTimeout(resolve, pauseMs))) {
      this.requests += 1;
      const subscriber: AgentSubscriber = {
        onCustomEvent: ({ event: { name, value } }) => {
          if (name === 'parley.answer_refused') this.refused.push(value);
          else this.told.set(value.seq, { name, value });
        },
        onRunFinishedEvent: () => {
          isOver = true;
        },
        onRunErrorEvent: ({ event }) => {
          if (event.metadata?.['parley']?.retryable === true) return;
          this.error = event;
          isOver = true;
        },
      };
      // A cut rejects. It is noticed by the missing end of the run.
      await this.agent.runAgent(parameters, subscriber).catch(() => undefined);
    }
  }
}

/** Consent in the form that the interrupt requires. */
export function yes(interrupt: Interrupt): object {
  const { fingerprint } = interrupt.metadata?.['parley'] as { fingerprint: string };
  return { approved: true, fingerprint };
}
