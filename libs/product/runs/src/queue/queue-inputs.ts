import { Injectable } from '@nestjs/common';
import { conversationKind, type RunRequest, type RunRequestInput } from '@app/conversations';
import { Streams } from '@app/event-store';
import { asId, Clock, invalid, ok, refuse, type MessageId, type Refusal, type Result } from '@app/kernel';
import { v7 as uuidV7 } from 'uuid';
import { RunAdmission, type AdmissionOptions, type Admitted, type NewRun } from '../run-admission';
import { steeredMessageId } from '../run-binding';
import type { Resolution } from '../run-profile';
import type { StartedRun } from '../run.schema';
import { QueuedRuns } from './queued-runs';

/** Records what a user says while a run of the conversation is open: in the queue, or in the live run. */
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
    const ids = { runId, runKey, userId, messageId: asId<MessageId>(uuidV7()) };
    const command = { type: 'QueueInput', at: this.clock.now(), ...ids, request, resolved } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    if (!done.ok) return done;
    this.queue.look(conversationId);
    return ok({ state: done.value.state, position: done.value.position });
  }

  /**
   * Says it to the live run; returns the answer, or null if none is live that would read it. A repeated call changes nothing. Refused with
   * `rate_limited` when as many wait as may, and with `not_found`. @throws Unavailable
   */
  async steer(
    run: NewRun,
    input: RunRequestInput,
    { chosenId }: AdmissionOptions,
  ): Promise<Result<StartedRun & Pick<Admitted, 'position'>> | null> {
    const { conversationId, runId, runKey, userId, cause } = run;
    if (chosenId && !(await this.admission.bind(run)))
      return refuse(invalid('/runId', 'belongs to another conversation'));
    const ids = { runId, runKey, userId, messageId: steeredMessageId(runKey) };
    const command = { type: 'SteerRun', at: this.clock.now(), ...ids, input } as const;
    const done = await this.streams.decide(conversationKind, conversationId, command, cause);
    if (!done.ok) return isNotActive(done.refusal) ? null : done;
    const { state, position } = done.value;
    const live = state.openRuns[state.liveRunId ?? ''];
    if (live === undefined) throw new Error(`${conversationId} was steered and has no live run`);
    return ok({ runId: live.runId, conversationId, status: live.status, seq: state.lastSeq, position });
  }
}

function isNotActive(refusal: Refusal): boolean {
  return refusal.kind === 'reason' && refusal.reason === 'run_not_active';
}
