import { type Approval, approvalOf, journal, untilStatus } from '@app/testing/journeys';
import type { TestClient } from '@app/testing/client';
import type { Fate } from './payloads';

/** The fates of the newest calls of a run that has ended or waits, and the approvals that it waits for. */
export interface Found {
  readonly status: string;
  readonly fates: readonly (Fate | 'unknown')[];
  readonly opened: readonly Approval[];
}

/** @param count the number of calls that are examined */
export async function fatesIn(user: TestClient, conversationId: string, runId: string, count: number): Promise<Found> {
  const run = await untilStatus(user, runId, 'awaiting_approval', 'completed', 'failed');
  const pendingIds = run['pendingApprovalIds'] as string[]; // reason for the assertion: the specification's run
  const events = (await journal(user, conversationId))
    .map(({ payload }) => payload)
    .filter((one) => one['runId'] === runId);
  const ordered = events.filter(({ type }) => type === 'tool.called').slice(-count);
  const opened = await Promise.all(pendingIds.map((id) => approvalOf(user, id)));
  const fates = ordered.map(({ toolCallId }) => {
    const returned = events.find((one) => one['type'] === 'tool.returned' && one['toolCallId'] === toolCallId);
    return fateOf(opened.find((approval) => approval['toolCallId'] === toolCallId)?.status, returned?.['outcome']);
  });
  return { status: String(run['status']), fates, opened };
}

function fateOf(approvalStatus: string | undefined, outcome: unknown): Fate | 'unknown' {
  if (approvalStatus !== undefined) return approvalStatus === 'pending' && outcome === undefined ? 'asked' : 'unknown';
  if (outcome === 'ok') return 'own';
  return outcome === 'error' ? 'refused' : 'unknown';
}
