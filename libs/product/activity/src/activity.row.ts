import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { MilestoneKind, MilestoneOrigin } from './activity.view';

/** A milestone of a user's history, or one that is foreseen. */
@Entity('activity')
export class ActivityRow implements ReadModelRow {
  /** What it is a milestone of, and which: `run/<runKey>`, `run/<runKey>/over`. */
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
  @Column('text') title: string;
  /** Id, instant and position of the event that it is; null as long as it is only foreseen. The position sorts it and never changes. */
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
];
