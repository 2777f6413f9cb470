import type { DurableFrame, JournalFrame } from '../types.js';
import { applyChunk } from './apply.js';
import { answerIdOf, type ParleyUIMessage } from './message.js';
import { inputOf, reduce } from './reduce.js';
import { initialRun, noContext, type FrameContext, type ReadApproval, type RunState } from './run-state.js';

type PayloadOf<Type> = Extract<DurableFrame['payload'], { readonly type: Type }>;

interface Answer {
  state: RunState;
  readonly message: ParleyUIMessage;
  isListed: boolean;
}

/** A conversation's messages, kept up to date frame by frame. */
export class ConversationFold {
  private readonly listed: ParleyUIMessage[] = [];
  private readonly answers = new Map<string, Answer>();
  /** The run that an approval or an operation belongs to, by the id of either. */
  private readonly owners = new Map<string, string>();
  /** Runs that wait to start. */
  private readonly waiting = new Map<string, PayloadOf<'input.queued'>>();

  /** Returns all messages, in the order in which they began. */
  messages(): ParleyUIMessage[] {
    return structuredClone(this.listed);
  }

  /** Applies the next frame; returns the messages that it changed or began. */
  apply(frame: JournalFrame, context: FrameContext = noContext): ParleyUIMessage[] {
    if (frame.delivery === 'live') return [];
    const { payload } = frame;
    const runId = this.runOf(payload);
    if (runId === undefined) return [];
    const asked = this.askedBy(payload, runId);
    const answer = this.answers.get(runId) ?? {
      state: initialRun(runId),
      message: emptyAnswer(runId),
      isListed: false,
    };
    this.answers.set(runId, answer);
    const { state, chunks } = reduce(answer.state, frame, context);
    answer.state = state;
    for (const chunk of chunks) applyChunk(answer.message, chunk);
    if (!answer.isListed) this.listed.push(answer.message);
    answer.isListed = true;
    return structuredClone([...asked, answer.message]);
  }

  private runOf(payload: DurableFrame['payload']): string | undefined {
    // A rating changes no message, and its run may be long over.
    if (payload.type === 'message.rated') return undefined;
    if (payload.type === 'input.queued') this.waiting.set(payload.runId, payload);
    if (payload.type === 'input.withdrawn') this.waiting.delete(payload.runId);
    if (payload.type === 'input.queued' || payload.type === 'input.withdrawn') return undefined;
    if ('runId' in payload && payload.runId !== null) {
      if ('approvalId' in payload && payload.approvalId !== null) this.owners.set(payload.approvalId, payload.runId);
      if ('operationId' in payload) this.owners.set(payload.operationId, payload.runId);
      return payload.runId;
    }
    if ('approvalId' in payload && payload.approvalId !== null) return this.owners.get(payload.approvalId);
    return 'operationId' in payload ? this.owners.get(payload.operationId) : undefined;
  }

  /** The user's own message, which is listed when its run starts, or ends without a start. */
  private askedBy(payload: DurableFrame['payload'], runId: string): ParleyUIMessage[] {
    if (payload.type !== 'run.started' && payload.type !== 'run.ended') return [];
    const asked = payload.type === 'run.started' ? payload : this.waiting.get(runId);
    this.waiting.delete(runId);
    return asked === undefined ? [] : this.ask(asked);
  }

  /** Adds the user's own message; an automation's prompt is a part of the answer instead. */
  private ask(started: PayloadOf<'run.started' | 'input.queued'>): ParleyUIMessage[] {
    if (started.type === 'run.started' && started.origin !== 'user') return [];
    const { text, artifactIds } = inputOf(started);
    const message: ParleyUIMessage = {
      id: started.runId,
      role: 'user',
      metadata: { startedAt: started.at, ...(artifactIds != null && { artifactIds }) },
      parts: [{ type: 'text', text }],
    };
    this.listed.push(message);
    return [message];
  }
}

/**
 * Returns a conversation's history as the messages of `useChat`, from its frames in order; equal to what was streamed.
 * Pure.
 * @param approvals the approvals of those frames by id, as `approvals.get` answers them
 */
export function toUIMessages(
  frames: Iterable<JournalFrame>,
  approvals: ReadonlyMap<string, ReadApproval> = noContext.approvals,
): ParleyUIMessage[] {
  const fold = new ConversationFold();
  for (const frame of frames) fold.apply(frame, { ...noContext, approvals });
  return fold.messages();
}

function emptyAnswer(runId: string): ParleyUIMessage {
  return { id: answerIdOf(runId), role: 'assistant', parts: [] };
}
