import type { ParleyClient } from '../client.js';
import type { JournalFrame, Schemas } from '../types.js';
import type { FrameContext, ReadApproval } from './run-state.js';

/** Whose conversation is told. */
export interface ChatScope {
  /** The client of the user who is signed in. */
  readonly parley: ParleyClient;
  readonly conversationId: string;
  /** Ends what streams, such as when the user signs out. */
  readonly signal?: AbortSignal;
}

/** A scope that can be left: what reads in it ends then, even while it waits. */
export function leavable<Scope extends Pick<ChatScope, 'signal'>>(scope: Scope): { scope: Scope; leave: () => void } {
  const left = new AbortController();
  const signal = scope.signal === undefined ? left.signal : AbortSignal.any([scope.signal, left.signal]);
  return { scope: { ...scope, signal }, leave: () => left.abort() };
}

/** A conversation's journal that is being read, with all that telling its frames takes. */
export class OpenJournal {
  /** The connection is open: what is recorded from now on is heard. Rejects when the service refuses. */
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

  /** What the frame that was read last is told with. */
  get context(): FrameContext {
    return { approvals: this.approvals, liveAfter: this.liveAfter };
  }

  /** Everything after this `seq` is recorded while the connection is open. */
  hearsAllAfter(seq: number): void {
    this.liveAfter = Math.min(this.liveAfter, seq);
  }

  /** The next frame, which stays the next one. */
  async peek(): Promise<JournalFrame | null> {
    this.pending ??= this.frames.next();
    return (await this.pending).value ?? null;
  }

  /** The next frame; null at the end, `late` when none came within a limit. Throws what the stream throws. */
  async next(limitMs: number | null = null): Promise<JournalFrame | 'late' | null> {
    this.pending ??= this.frames.next();
    const result = limitMs === null ? await this.pending : await within(limitMs, this.pending);
    if (result === 'late') return 'late';
    this.pending = null;
    return result.value ?? null;
  }

  /** Whether another connection was opened since this was asked last: live frames may be missing. */
  wasReopened(): boolean {
    const reopened = this.connections > this.heard;
    this.heard = Math.max(this.heard, this.connections);
    return reopened;
  }

  /** Reads what the approval of a frame asks, so that `context` has it. */
  async readApprovalOf(frame: JournalFrame): Promise<void> {
    if (frame.delivery === 'live' || frame.payload.type !== 'approval.opened') return;
    const { approvalId } = frame.payload;
    this.approvals.set(approvalId, await this.scope.parley.approvals.get({ approvalId }));
  }

  /** What the journal already has when a connection is open was not heard on it. */
  private findHead(connection: number): void {
    readConversation(this.scope).then(
      ({ lastSeq }) => {
        if (connection === this.connections) this.hearsAllAfter(lastSeq);
      },
      // Then words are not shown before their message is recorded; what the service refuses, the stream says as well.
      () => undefined,
    );
  }

  async close(): Promise<void> {
    this.gone.abort();
    // What is being read ends with the signal, whatever it was.
    await this.pending?.catch(() => undefined);
    await this.frames.return();
  }
}

/** The conversation as it is now; `lastSeq` is where its journal ends. */
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
