import { Injectable } from '@nestjs/common';
import { epochMsOf, instantOf, type Instant, type JsonValue, type UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { sourceTimerId, sourceTimers, type SourceInUse } from './source-key';
import type { Sample } from './source-sample';
import { bindings } from './source-samples.row';

interface SampleRow {
  readonly atMs: number;
  readonly status: Sample['status'];
  readonly value: JsonValue;
  readonly reason: string | null;
}

/** Maximum number of old rows that one statement deletes. */
const prunedAtOnceMax = 10_000;

/** Maximum number of sources that one query returns; a deployment with more of them in use starts the others with the next query. */
const sourcesAtOnceMax = 1_000;

interface SourceRow {
  readonly kind: SourceInUse['source']['kind'];
  readonly tokenId: string;
  readonly userId: UserId | null;
}

/** The table of samples, and queries for the sources in use. All methods throw Unavailable when PostgreSQL does not answer. */
@Injectable()
export class SourceSamples {
  constructor(private readonly database: Database) {}

  /** Stores a sample unless the source has one of that instant. Returns whether it was stored. */
  async keep(key: string, { at, status, value, reason }: Sample): Promise<boolean> {
    const kept = await this.database.query(
      `INSERT INTO source_samples (source_key, at_ms, status, value, reason) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (source_key, at_ms) DO NOTHING RETURNING at_ms`,
      [key, epochMsOf(at), status, JSON.stringify(value), reason],
    );
    return kept.length > 0;
  }

  /** The source's last sample at or before the instant. */
  async last(key: string, at: Instant): Promise<Sample | null> {
    const [row] = await this.database.query<SampleRow>(
      `SELECT at_ms AS "atMs", status, value, reason FROM source_samples
       WHERE source_key = $1 AND at_ms <= $2 ORDER BY at_ms DESC LIMIT 1`,
      [key, epochMsOf(at)],
    );
    return row === undefined ? null : sampleOf(row);
  }

  /** The samples from the last one at or before `from` to the last one at or before `to`, oldest first. */
  async between(key: string, from: Instant, to: Instant): Promise<readonly Sample[]> {
    const rows = await this.database.query<SampleRow>(
      `SELECT at_ms AS "atMs", status, value, reason FROM source_samples
       WHERE source_key = $1 AND at_ms <= $3 AND at_ms >= coalesce(
         (SELECT max(at_ms) FROM source_samples WHERE source_key = $1 AND at_ms <= $2), $2)
       ORDER BY at_ms`,
      [key, epochMsOf(from), epochMsOf(to)],
    );
    return rows.map(sampleOf);
  }

  async hasTimer(source: SourceInUse): Promise<boolean> {
    const found = await this.database.query('SELECT id FROM timers WHERE id = $1', [sourceTimerId(source)]);
    return found.length > 0;
  }

  /** Whether a rule that may fire reads the source. */
  async isInUse({ source, userId }: SourceInUse): Promise<boolean> {
    const rows = await this.database.query(
      `SELECT id FROM {automations} WHERE state = 'enabled' AND NOT completed AND ${bindings} @> $1::jsonb
         AND ($2::uuid IS NULL OR user_id = $2) LIMIT 1`,
      [JSON.stringify([{ source }]), userId],
    );
    return rows.length > 0;
  }

  /** Sources for a token that are read by rules that may fire. */
  async aboutToken(tokenId: string): Promise<readonly SourceInUse[]> {
    return this.inUse(`AND ${bindings} @> $1::jsonb AND tokens."tokenId" = $2`, [
      JSON.stringify([{ source: { tokenId } }]),
      tokenId,
    ]);
  }

  /** Sources in use without a timer. */
  async withoutTimer(): Promise<readonly SourceInUse[]> {
    return this.inUse(
      `AND NOT EXISTS (SELECT 1 FROM timers WHERE timers.id = '${sourceTimers}/' || kind || ':' ||
         CASE kind WHEN 'wallet_balance' THEN user_id || ':' ELSE '' END || tokens."tokenId")`,
      [],
    );
  }

  private async inUse(where: string, parameters: readonly unknown[]): Promise<readonly SourceInUse[]> {
    const rows = await this.database.query<SourceRow>(
      `SELECT DISTINCT kind, tokens."tokenId", CASE kind WHEN 'wallet_balance' THEN user_id END AS "userId"
       FROM {automations}, jsonb_array_elements(${bindings}) AS binding,
         jsonb_to_record(binding->'source') AS tokens (kind text, "tokenId" text)
       WHERE state = 'enabled' AND NOT completed AND kind <> 'event' ${where} LIMIT ${sourcesAtOnceMax}`,
      parameters,
    );
    return rows.map(({ kind, tokenId, userId }) => ({ source: { kind, tokenId }, userId }));
  }

  /** Deletes samples from before the instant; not all of them at once when there are very many. */
  async prune(before: Instant): Promise<void> {
    await this.database.query(
      `DELETE FROM source_samples WHERE ctid IN (
         SELECT ctid FROM source_samples WHERE at_ms < $1 ORDER BY at_ms LIMIT ${prunedAtOnceMax})`,
      [epochMsOf(before)],
    );
  }
}

function sampleOf({ atMs, status, value, reason }: SampleRow): Sample {
  return { at: instantOf(atMs), status, value, reason };
}
