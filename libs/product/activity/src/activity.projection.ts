import { idInStream, type Recorded } from '@app/event-store';
import type { Words } from '@app/kernel';
import { migration, type Projection, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MilestoneKind, MilestoneOrigin, ToldEvent } from './activity.view';
import type { TitleSource } from './milestone-titles';
import { firingOf, isMilestone, milestones, type Milestone, type MilestoneEvent, type Subject } from './milestones';

/** A milestone of a user's history, or a foreseen one, which a later event completes. */
@Entity('activity')
export class ActivityRow implements ReadModelRow {
  /** Identifies the milestone by its source and kind: `run/<runKey>`, `run/<runKey>/over`. */
  @PrimaryColumn('text') key: string;
  @Column('uuid') userId: string;
  @Column('text') kind: MilestoneKind;
  @Column('text') origin: MilestoneOrigin;
  /** Whether it belongs to the scope `actions`. */
  @Column('boolean') isAction: boolean;
  @Column('uuid', { nullable: true }) conversationId: string | null;
  @Column('uuid', { nullable: true }) runId: string | null;
  @Column('uuid', { nullable: true }) approvalId: string | null;
  @Column('uuid', { nullable: true }) operationId: string | null;
  @Column('uuid', { nullable: true }) automationId: string | null;
  /** The words of persons that it is about, as its event has them. */
  @Column('text', { nullable: true }) title: TitleSource['words'];
  @Column('text', { nullable: true }) titleSentence: TitleSource['sentence'];
  /** How the title is made of it. */
  @Column('text') titleForm: TitleSource['form'];
  /** The title where it is about nothing visible. */
  @Column('text') titleOtherwise: Words;
  /** The result; null as long as there is none. */
  @Column('text', { nullable: true }) titleOutcome: Words | null;
  /**
   * Id, instant and position of the milestone's event; null while it is only foreseen. It is sorted by the position,
   * which never changes.
   */
  @Column('uuid', { nullable: true }) id: string | null;
  @Column('text', { nullable: true }) at: string | null;
  @Column('bigint', { nullable: true }) milestonePosition: number | null;
  @Column('bigint') position: number;
}

export const activityMigrations = [
  migration(
    700,
    'CreateActivity',
    `
      CREATE TABLE activity (
        key text PRIMARY KEY, user_id uuid NOT NULL, kind text NOT NULL, origin text NOT NULL, is_action boolean NOT NULL,
        conversation_id uuid, run_id uuid, approval_id uuid, operation_id uuid, automation_id uuid, title text NOT NULL,
        id uuid, at text, milestone_position bigint, position bigint NOT NULL);
      CREATE INDEX activity_newest_first ON activity (user_id, origin, is_action, milestone_position DESC)
        WHERE milestone_position IS NOT NULL;
    `,
  ),
  // The parts of a title, of which the words are sealed. The table is filled again by its new version.
  migration(
    701,
    'MakeActivityTitles',
    `
      ALTER TABLE activity ALTER COLUMN title DROP NOT NULL, ADD COLUMN title_sentence text, ADD COLUMN title_form text, ADD COLUMN title_otherwise text,
        ADD COLUMN title_outcome text;
    `,
  ),
];

/** The kinds of the streams that are read. The composition passes them, because this slice imports only their types. */
export type ToldKinds = Projection<ActivityRow, ToldEvent>['kinds'];

/** Table `activity`: a row for each milestone of a user, and for each submission that is foreseen. */
export function activityProjection(kinds: ToldKinds): Projection<ActivityRow, ToldEvent> {
  return {
    name: 'activity',
    version: 3,
    row: ActivityRow,
    kinds,
    keyOf: ({ event, stream }) => (isMilestone(event) ? milestoneOf(event).key(event, stream) : null),
    isFirst: ({ event }) => beginnings.has(event.type),
    // The run of a firing begins in the same append.
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

/** The commonest milestones; each stream or run has at most one of each, so their rows are always new. */
const beginnings: ReadonlySet<string> = new Set(['conversation.created', 'run.started', 'run.ended']);

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
    key: key(event, recorded.stream),
    kind,
    ...found,
    isAction: isAction(kind, found.origin),
    ...columnsOf(title(event, about && titleIn(about))),
    id: null,
    at: null,
    milestonePosition: null,
    position: recorded.position,
  };
  return foreseen ? made : describeMilestone(recorded, made);
}

function columnsOf(title: TitleSource) {
  const { words: of, sentence: titleSentence, form: titleForm } = title;
  return { title: of, titleSentence, titleForm, titleOtherwise: title.otherwise, titleOutcome: title.outcome };
}

function titleIn({ title, titleSentence, titleForm, titleOtherwise, titleOutcome }: ActivityRow): TitleSource {
  return { words: title, sentence: titleSentence, form: titleForm, otherwise: titleOtherwise, outcome: titleOutcome };
}

function describeMilestone({ id, event, position }: Recorded<ToldEvent>, row: ActivityRow): ActivityRow {
  return { ...row, id, at: event.at, milestonePosition: position };
}

/** Scope `actions`: approvals, outcomes of operations, firings, and the runs of automations (docs/decisions/artifacts-and-activity.md). */
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
