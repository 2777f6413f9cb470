import { AbstractChat, type ChatInit, type ChatState } from 'ai';
import type { ParleyUIMessage } from '@parley/client/ai-sdk';

/** The AI SDK's own chat, as `useChat` runs it, with its state in plain members. */
export class PageChat extends AbstractChat<ParleyUIMessage> {
  constructor({ messages = [], ...init }: ChatInit<ParleyUIMessage>) {
    super({ ...init, state: new PlainState(messages) });
  }

  /** The text of each message, one line each. */
  get lines(): string[] {
    return linesOf(this.messages);
  }
}

export function linesOf(messages: readonly ParleyUIMessage[]): string[] {
  return messages.map(
    ({ role, parts }) => `${role}: ${parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join(' | ')}`,
  );
}

class PlainState implements ChatState<ParleyUIMessage> {
  status: ChatState<ParleyUIMessage>['status'] = 'ready';
  error: Error | undefined;

  constructor(public messages: ParleyUIMessage[]) {}

  readonly pushMessage = (message: ParleyUIMessage): void => {
    this.messages = [...this.messages, message];
  };
  readonly popMessage = (): void => {
    this.messages = this.messages.slice(0, -1);
  };
  readonly replaceMessage = (index: number, message: ParleyUIMessage): void => {
    this.messages = this.messages.map((one, at) => (at === index ? this.snapshot(message) : one));
  };
  readonly snapshot = <Thing>(thing: Thing): Thing => structuredClone(thing);
}
