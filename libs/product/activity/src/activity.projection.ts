import { idInStream, type Recorded } from '@app/event-store';
import type { Projection } from '@app/read-store';
import { ActivityRow } from './activity.row';
import type { MilestoneKind, MilestoneOrigin, ToldEvent } from './activity.view';
import { firingOf, isMilestone, milestones, type Milestone, type MilestoneEvent, type Subject } from './milestones';

/** The kinds of the streams that tell, which the composition knows: this slice imports nothing of them that runs. */
export type ToldKinds = Projection<ActivityRow, ToldEvent>['kinds'];

/** Table `activity`: a row for each milestone of a user, and for each submission that is foreseen. */
export function activityProjection(kinds: ToldKinds): Projection<ActivityRow, ToldEvent> {
  return {
    name: 'activity',
    version: 1,
    row: ActivityRow,
    kinds,
    keyOf: ({ event, stream }) => (isMilestone(event) ? milestoneOf(event).key(event, stream) : null),
    // The run that comes of a firing begins in the same append.
    moreKeysOf: ({ event }) => present(event.type === 'run.started' ? firingOf(event) : null),
    looksAt: ({ event, stream }) => present(isMilestone(event) ? milestoneOf(event).about(event, stream) : null),
    project: (row, recorded, rowAt) => {
      const { event, stream } = recorded;
      if (!isMilestone(event)) return null;
      const about = milestoneOf(event).about(event, stream);
      return rowAfter(row, recorded, event, about === null ? null : (rowAt?.(about) ?? null));
    },
  };
}

function milestoneOf(event: MilestoneEvent): Milestone<MilestoneEvent> {
  return milestones[event.type];
}

const present = (key: string | null) => (key === null ? [] : [key]);

function rowAfter(
  row: ActivityRow | null,
  recorded: Recorded<ToldEvent>,
  event: MilestoneEvent,
  about: ActivityRow | null,
): ActivityRow | null {
  if (event.type === 'submission.accepted') {
    return row?.milestonePosition === null ? describeMilestone(recorded, row) : row;
  }
  if (event.type === 'run.started' && row !== null) return { ...row, runId: event.runId };
  const { key, kind, subject, title, foreseen = false } = milestoneOf(event);
  const found = subject(event, about && subjectOf(about), idsIn(recorded.stream));
  if (found === null) return null;
  const made = {
    ...{ key: key(event, recorded.stream), kind, ...found, isAction: isAction(kind, found.origin) },
    title: title(event, about?.title ?? ''),
    ...{ id: null, at: null, milestonePosition: null, position: recorded.position },
  };
  return foreseen ? made : describeMilestone(recorded, made);
}

function describeMilestone({ id, event, position }: Recorded<ToldEvent>, row: ActivityRow): ActivityRow {
  return { ...row, id, at: event.at, milestonePosition: position };
}

/** Scope `actions`: approvals, what became of operations, firings, and the runs of automations (docs/decisions/artifacts-and-activity.md). */
function isAction(kind: MilestoneKind, origin: MilestoneOrigin): boolean {
  if (kind === 'conversation_created') return false;
  return origin === 'automation' || !(kind === 'run_started' || kind === 'run_ended');
}

function subjectOf(row: ActivityRow): Subject {
  const { userId, origin, conversationId, runId, approvalId, operationId, automationId } = row;
  return { userId, origin, conversationId, runId, approvalId, operationId, automationId };
}

function idsIn(stream: string) {
  const idOf = (category: string) => idInStream({ category }, stream);
  return {
    conversationId: idOf('conversation'),
    operationId: idOf('operation'),
    automationId: idOf('automation'),
  };
}
