import { Injectable } from '@nestjs/common';
import { FoldedStates } from '@app/event-store';
import { Clock, ok, refuse, type Cause, type OperationId, type Result } from '@app/kernel';
import { setTimeout as sleep } from 'node:timers/promises';
import { agentOperationId } from './agent-operation-id';
import type { OperationTerms } from './operation.events';
import { OperationStart } from './operation-start';
import { isUnderWay, type OperationState } from './operation.state';
import { operationKind } from './operation.stream';

const lookFirstMs = 10;
const lookLastMs = 200;
const ownAnswerMs = 1;

/** Transfers that an agent makes with an approval. All methods throw Unavailable when a store does not answer. */
@Injectable()
export class AgentTransfers {
  constructor(
    private readonly start: OperationStart,
    private readonly states: FoldedStates,
    private readonly clock: Clock,
  ) {}

  /**
   * Uses an approval once: the operation's id derives from the approval's, and its stream must not exist
   * (docs/decisions/approvals.md). A repeated call returns the same id and changes nothing; the terms of the first call
   * are kept. The operation is driven to its end from here on, by this process as far as possible now.
   */
  async use(terms: OperationTerms, cause: Cause): Promise<Result<OperationId>> {
    const operationId = agentOperationId(terms.approvalId);
    const command = { type: 'UseApproval', at: this.clock.now(), terms } as const;
    const done = await this.start.begin(operationId, command, cause, { read: 'assume-new' });
    return done.ok ? ok(operationId) : refuse(done.refusal);
  }

  /**
   * Waits until the provider has accepted the first action, cannot say whether it has, or the operation is over. Throws
   * the signal's reason when it aborts first.
   */
  async untilUnderWay(operationId: OperationId, signal: AbortSignal): Promise<OperationState> {
    let seen = await this.states.cached(operationKind, operationId);
    for (let withinMs = lookFirstMs; ; withinMs = Math.min(withinMs * 2, lookLastMs)) {
      signal.throwIfAborted();
      const { state, revision } = seen;
      if (state !== null && hasBegunToMove(state)) return state;
      await this.states.untilNews(operationKind, operationId, { after: revision, withinMs, signal });
      seen = this.states.peek(operationKind, operationId) ?? seen;
      if (seen.revision > revision) continue;
      // This process is driving the operation. Its event may arrive here before the answer to its own append, which is
      // then in flight.
      if (this.start.isDrivenHere(operationId)) await sleep(ownAnswerMs);
      // Events appended by other processes have to be read.
      else seen = await this.states.fresh(operationKind, operationId);
    }
  }
}

function hasBegunToMove(state: OperationState): boolean {
  if (!isUnderWay(state) || state.status === 'unresolved') return true;
  return state.actions[0]?.status !== 'pending';
}
