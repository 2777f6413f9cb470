import type { DurableFrame, JournalFrame } from '../types.js';
import { applyChunk } from './apply.js';
import { answerIdOf, type ParleyUIMessage } from './message.js';
import { inputOf, reduce } from './reduce.js';
import { initialRun, noContext, type FrameContext, type ReadApproval, type RunState } from './run-state.js';

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
    const asked = payload.type === 'run.started' ? this.ask(payload) : [];
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
    if ('runId' in payload && payload.runId !== null) {
      if ('approvalId' in payload && payload.approvalId !== null) this.owners.set(payload.approvalId, payload.runId);
      if ('operationId' in payload) this.owners.set(payload.operationId, payload.runId);
      return payload.runId;
    }
    if ('approvalId' in payload && payload.approvalId !== null) return this.owners.get(payload.approvalId);
    return 'operationId' in payload ? this.owners.get(payload.operationId) : undefined;
  }

  /** Adds the user's own message; an automation's prompt is a part of the answer instead. */
  private ask(started: Extract<DurableFrame['payload'], { type: 'run.started' }>): ParleyUIMessage[] {
    if (started.origin !== 'user') return [];
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
