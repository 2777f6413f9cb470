import type { ParleyClient } from '../client.js';
import type { JournalFrame, Schemas } from '../types.js';
import type { FrameContext, ReadApproval } from './run-state.js';

/** The conversation to stream, and the client to read it with. */
export interface ChatScope {
  /** The client of the user who is signed in. */
  readonly parley: ParleyClient;
  readonly conversationId: string;
  /** Ends the stream, for example when the user signs out. */
  readonly signal?: AbortSignal;
}

/** Returns a scope that can be left: reading in it then ends, even while it waits. */
export function leavable<Scope extends Pick<ChatScope, 'signal'>>(scope: Scope): { scope: Scope; leave: () => void } {
  const left = new AbortController();
  const signal = scope.signal === undefined ? left.signal : AbortSignal.any([scope.signal, left.signal]);
  return { scope: { ...scope, signal }, leave: () => left.abort() };
}

/** A conversation's journal that is being read, and the context for translating its frames. */
export class OpenJournal {
  /** Resolves when the connection is open: everything after is received. Rejects when the service refuses. */
  readonly opened: Promise<void>;
  private readonly frames: AsyncGenerator<JournalFrame, void>;
  private readonly gone = new AbortController();
  private pending: Promise<IteratorResult<JournalFrame, void>> | null;
  private readonly approvals = new Map<string, ReadApproval>();
  private connections = 0;
  private heard = 1;
  private liveAfter = Number.POSITIVE_INFINITY;

  /** @param after begin strictly after this `seq` */
  constructor(
    private readonly scope: ChatScope,
    after: number,
  ) {
    const { parley, conversationId, signal } = scope;
    const ends = signal === undefined ? this.gone.signal : AbortSignal.any([signal, this.gone.signal]);
    let isOpen = (): void => undefined;
    const open = new Promise<void>((resolve) => {
      isOpen = resolve;
    });
    const onOpen = (): void => {
      this.connections += 1;
      this.liveAfter = Number.POSITIVE_INFINITY;
      isOpen();
      this.findHead(this.connections);
    };
    this.frames = parley.conversations.stream({ conversationId, after }, { signal: ends, onOpen });
    this.pending = this.frames.next();
    this.opened = Promise.race([open, this.pending.then(() => undefined)]);
  }

  /** The context of the frame that was read last. */
  get context(): FrameContext {
    return { approvals: this.approvals, liveAfter: this.liveAfter };
  }

  /** Says that everything after this `seq` is recorded while the connection is open. */
  hearsAllAfter(seq: number): void {
    this.liveAfter = Math.min(this.liveAfter, seq);
  }

  /** Returns the next frame without consuming it. */
  async peek(): Promise<JournalFrame | null> {
    this.pending ??= this.frames.next();
    return (await this.pending).value ?? null;
  }

  /** Returns the next frame; null at the end, `late` if none arrived within the limit. Throws the errors of the stream. */
  async next(limitMs: number | null = null): Promise<JournalFrame | 'late' | null> {
    this.pending ??= this.frames.next();
    const result = limitMs === null ? await this.pending : await within(limitMs, this.pending);
    if (result === 'late') return 'late';
    this.pending = null;
    return result.value ?? null;
  }

  /** Whether another connection was opened since the last call: live frames may be missing. */
  wasReopened(): boolean {
    const reopened = this.connections > this.heard;
    this.heard = Math.max(this.heard, this.connections);
    return reopened;
  }

  /** Reads the approval of a frame, so that `context` has it. */
  async readApprovalOf(frame: JournalFrame): Promise<void> {
    if (frame.delivery === 'live' || frame.payload.type !== 'approval.opened') return;
    const { approvalId } = frame.payload;
    this.approvals.set(approvalId, await this.scope.parley.approvals.get({ approvalId }));
  }

  /** Excludes events from before the connection opened, because live frames before them may be missing. */
  private findHead(connection: number): void {
    readConversation(this.scope).then(
      ({ lastSeq }) => {
        if (connection === this.connections) this.hearsAllAfter(lastSeq);
      },
      // Then text is not shown before its message is recorded; if the service refuses, the stream reports that as well.
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.gone.abort();
    // The signal ends the pending read; its outcome does not matter.
    await this.pending?.catch(() => undefined);
    await this.frames.return();
  }
}

/** Returns the conversation as it is now; `lastSeq` is the end of its journal. */
export async function readConversation({ parley, conversationId }: ChatScope): Promise<Schemas['Conversation']> {
  return parley.conversations.get({ conversationId });
}

async function within<Value>(limitMs: number, work: Promise<Value>): Promise<Value | 'late'> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), limitMs);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
