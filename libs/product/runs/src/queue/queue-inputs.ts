import { Injectable } from '@nestjs/common';
import { conversationKind, type ConversationState, type RunRequest } from '@app/conversations';
import { Streams } from '@app/event-store';
import { Clock, invalid, ok, refuse, type Result } from '@app/kernel';
import { RunAdmission, type AdmissionOptions, type Admitted, type NewRun } from '../run-admission';
import type { Resolution } from '../run-profile';
import { QueuedRuns } from './queued-runs';

/** Records runs in the queues of conversations. */
@Injectable()
export class QueueInputs {
  constructor(
    private readonly streams: Streams,
    private readonly clock: Clock,
    private readonly admission: RunAdmission,
    private readonly queue: QueuedRuns,
  ) {}

  /**
   * Records the run as the last of its conversation's queue; it starts at once where no other is open any more. A repeated call changes
   * nothing. Refused with `rate_limited` when the queue is full, and with `not_found`. @throws Unavailable
   */
  async add(
    run: NewRun,
    { request, resolved }: Resolution & { readonly request: RunRequest },
    { chosenId }: AdmissionOptions,
  ): Promise<Result<Admitted>> {
    const { conversationId, runId, runKey, userId, cause } = run;
    if (chosenId && !(await this.admission.bind(run)))
      return refuse(invalid('/runId', 'belongs to another conversation'));
    const command = { type: 'QueueInput', at: this.clock.now(), runId, runKey, userId, request, resolved } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    if (!done.ok) return done;
    this.queue.look(conversationId);
    const { state, position }: { state: ConversationState; position: number | null } = done.value;
    return ok({ state, position });
  }
}
