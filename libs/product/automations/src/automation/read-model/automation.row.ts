import type { OccurrenceTrigger, Words } from '@app/kernel';
import { migration, type ReadModelRow } from '@app/read-store';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TokenSymbols } from '../../condition/token-symbols';
import type { StoredDefinition } from '../../definition/automation-definition';

/** An automation as lists and searches show it; the sweeps of firing read it too. */
@Entity('automations')
export class AutomationRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') userId: string;
  @Column('text') state: 'enabled' | 'paused' | 'archived';
  @Column('boolean') held: boolean;
  /** Completed for good. */
  @Column('boolean') completed: boolean;
  /** `json`, not `jsonb`, because it is shown as it was written, including the order of its members. Its words are sealed, as in the event. */
  @Column('json') definition: StoredDefinition;
  /** The provider's symbols of the tokens that the definition names. */
  @Column('json') symbols: TokenSymbols;
  @Column('integer') definitionVersion: number;
  @Column('uuid') epoch: string;
  @Column('text') epochAt: string;
  @Column('uuid', { nullable: true }) contractApprovalId: string | null;
  @Column('uuid', { nullable: true }) webhookKeyId: string | null;
  /** Accepted occurrences, over all versions. */
  @Column('integer') occurrences: number;
  @Column('text') createdAt: string;
  @Column('text') updatedAt: string;
  @Column('text', { nullable: true }) archivedAt: string | null;
  /** Position of its creation: lists are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

export const deliveries = ['pending', 'deferred', 'accepted', 'rejected', 'canceled', 'skipped', 'coalesced'] as const;
export type OccurrenceDelivery = (typeof deliveries)[number];

/** One firing of an automation, as lists show it. */
@Entity('occurrences')
export class OccurrenceRow implements ReadModelRow {
  @PrimaryColumn('uuid') id: string;
  @Column('uuid') automationId: string;
  /** The due time, or when its input was recorded. */
  @Column('text') at: string;
  @Column('text') delivery: OccurrenceDelivery;
  @Column('text') trigger: OccurrenceTrigger;
  @Column('uuid', { nullable: true }) inputId: string | null;
  @Column('text', { nullable: true }) reason: Words | null;
  @Column('uuid', { nullable: true }) runId: string | null;
  @Column('uuid', { nullable: true }) conversationId: string | null;
  @Column('uuid', { nullable: true }) coalescedInto: string | null;
  @Column('integer') attempts: number;
  /** Position of its beginning: lists are sorted by it. */
  @Column('bigint') openedPosition: number;
  @Column('bigint') position: number;
}

export const automationsMigrations = [
  migration(
    670,
    'CreateAutomations',
    `
      CREATE TABLE automations (
        id uuid PRIMARY KEY, user_id uuid NOT NULL, name text NOT NULL, state text NOT NULL, held boolean NOT NULL,
        completed boolean NOT NULL, definition json NOT NULL, definition_version integer NOT NULL, epoch uuid NOT NULL,
        epoch_at text NOT NULL, contract_approval_id uuid, webhook_key_id uuid, occurrences integer NOT NULL,
        search_words text[] NOT NULL, created_at text NOT NULL, updated_at text NOT NULL, archived_at text,
        opened_position bigint NOT NULL, position bigint NOT NULL);
      CREATE INDEX automations_in_order ON automations (user_id, opened_position);
      CREATE INDEX automations_by_state ON automations (user_id, state, opened_position);
      CREATE INDEX automations_words ON automations USING gin (search_words);
      CREATE INDEX automations_firing ON automations (id) WHERE state = 'enabled' AND NOT completed;

      CREATE TABLE occurrences (
        id uuid PRIMARY KEY, automation_id uuid NOT NULL, at text NOT NULL, delivery text NOT NULL, trigger text NOT NULL,
        input_id uuid, reason text, run_id uuid, conversation_id uuid, coalesced_into uuid, attempts integer NOT NULL,
        opened_position bigint NOT NULL, position bigint NOT NULL);
      CREATE INDEX occurrences_newest_first ON occurrences (automation_id, opened_position DESC);
      CREATE INDEX occurrences_by_delivery ON occurrences (automation_id, delivery, opened_position DESC);
      CREATE INDEX occurrences_active ON occurrences (id) WHERE delivery IN ('pending', 'deferred');
    `,
  ),
  // Names and words to search by are no longer in clear anywhere. The columns remain, empty, for the previous program.
  migration(
    676,
    'SealAutomationWords',
    `
      DROP INDEX automations_words;
      ALTER TABLE automations ALTER COLUMN name DROP NOT NULL, ALTER COLUMN search_words DROP NOT NULL,
        ADD COLUMN symbols json NOT NULL DEFAULT '{}';
    `,
  ),
];

/** Filters of lists and searches; `current`: all that are not archived. */
export const stateFilters = ['current', 'enabled', 'paused', 'archived', 'all'] as const;
export type StateFilter = (typeof stateFilters)[number];

/** The states that a filter lets through. */
export function statesOf(filter: StateFilter): readonly string[] {
  if (filter === 'all') return ['enabled', 'paused', 'archived'];
  return filter === 'current' ? ['enabled', 'paused'] : [filter];
}
