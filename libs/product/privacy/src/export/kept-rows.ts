import type { UserId } from '@app/kernel';
import type { Database } from '@app/read-store';

const pageRows = 500;

/** A file of rows that are kept of a user outside of streams. None of them has words of a person. */
export interface RowFile {
  readonly file: string;
  readonly content: string;
  /** Selects a text `key`, which is unique, and the row as JSON, `item`, of the user `$1`. */
  readonly sql: string;
}

/** The streams of which partners are notified. */
const streamsOfUser = `
  SELECT 'user-' || $1::uuid UNION ALL SELECT 'budget-' || $1::uuid UNION ALL SELECT 'wallet-' || $1::uuid
  UNION ALL SELECT 'conversation-' || id FROM {conversations} WHERE user_id = $1
  UNION ALL SELECT 'automation-' || id FROM {automations} WHERE user_id = $1
  UNION ALL SELECT 'operation-' || id FROM {financial_operations} WHERE user_id = $1`;

/** Every file of rows in an archive. */
export const rowFiles: readonly RowFile[] = [
  {
    file: 'notices-to-partners.jsonl',
    content:
      'Notices about the person that were sent to servers of the company, or will be: what they are about, when, and whether they arrived. They are removed after a while.',
    sql: `
      SELECT lpad(seq::text, 20, '0') AS key, jsonb_build_object(
        'id', notice_id, 'endpointId', endpoint_id, 'type', type, 'stream', stream, 'seq', revision + 1, 'state', state,
        'attempts', attempts, 'createdAtMs', created_at_ms, 'lastAtMs', last_at_ms, 'lastStatus', last_status) AS item
      FROM webhook_deliveries WHERE stream IN (${streamsOfUser})`,
  },
  {
    file: 'balance-samples.jsonl',
    content: 'Balances of the wallet that conditions of automations read. They are removed after a while.',
    sql: `
      SELECT source_key || '/' || lpad(at_ms::text, 20, '0') AS key, to_jsonb(s) AS item FROM source_samples AS s
      WHERE source_key LIKE 'wallet\\_balance:' || $1::uuid || ':%'`,
  },
  {
    file: 'automation-evaluations.jsonl',
    content: 'The last evaluation of the condition of each automation.',
    sql: `
      SELECT automation_id::text AS key, to_jsonb(c) AS item FROM automation_checks AS c
      WHERE automation_id IN (SELECT id FROM {automations} WHERE user_id = $1)`,
  },
];

/** Yields each row as a line of JSON, some at a time, and counts them. @throws Unavailable */
export async function* rowsOf(
  database: Database,
  userId: UserId,
  { sql }: RowFile,
  counts: { rows: number },
): AsyncGenerator<string, void, undefined> {
  for (let after = ''; ;) {
    const rows = await database.query<{ readonly key: string; readonly item: string }>(
      `SELECT key, item::text AS item FROM (${sql}) AS found WHERE key COLLATE "C" > $2 ORDER BY key COLLATE "C" LIMIT $3`,
      [userId, after, pageRows],
    );
    if (rows.length > 0) yield rows.map(({ item }) => `${item}\n`).join('');
    counts.rows += rows.length;
    after = rows.at(-1)?.key ?? after;
    if (rows.length < pageRows) return;
  }
}
