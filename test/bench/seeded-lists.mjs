// Rows of read models in numbers that no benchmark could create through the service, written directly into the tables.
import pg from 'pg';

const timestamp = `to_char(timestamp '2026-01-01' + n * interval '1 second', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
/** The n-th row's user: users take turns, so that one user's rows are scattered among all others. */
const user = '($1::uuid[])[1 + n % cardinality($1)]';
/** Twenty consecutive rows of a user belong to one conversation. */
const conversation = `md5('conversation ' || n % cardinality($1) || ' ' || n / (20 * cardinality($1)))::uuid`;

const request = {
  input: { text: 'what time is it in Europe/Berlin', artifactIds: [] },
  profile: {
    model: 'parley/rules',
    instructions: null,
    tools: ['artifact_read', 'current_time', 'intents_transfer', 'token_price', 'wallet_balances'],
    maxSteps: 16,
    outputSchema: null,
  },
};
const tokenId = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
const contract = {
  type: 'ledger_intents_transfer',
  actions: [
    {
      kind: 'withdraw_to_owner',
      input: { pinned: { tokenId, decimals: 6 } },
      quantity: { kind: 'exact_input_tokens', amountRaw: '1500000' },
    },
  ],
};
const origin = { requestId: 'benchmark', correlationId: 'benchmark', eventId: 'benchmark' };

/** The tables that can be filled: how a row is computed from its number, and which counter it adds to. */
const tables = {
  runs: {
    parameters: [request, { text: 'It is 14:03 in Europe/Berlin.' }],
    columns: {
      run_key: 'gen_random_uuid()',
      id: 'gen_random_uuid()',
      user_id: user,
      conversation_id: conversation,
      origin: `'user'`,
      request: '$3::jsonb',
      response: '$4::jsonb',
      status: `'completed'`,
      segment: '1',
      pending_approval_ids: `'[]'`,
      input_tokens: '120',
      output_tokens: '12',
      cost_cents: '2',
      created_at: timestamp,
      started_at: timestamp,
      ended_at: timestamp,
      started_seq: '2',
      opened_position: 'n',
      position: 'n',
    },
    counter: `'runs/' || user_id`,
  },
  approvals: {
    parameters: [contract, origin],
    columns: {
      id: 'gen_random_uuid()',
      user_id: user,
      kind: `'agent_tool'`,
      tool: `'intents_transfer'`,
      fingerprint: `'sha256:' || md5('a' || n) || md5('b' || n)`,
      input: `json_build_object('contract', $3::json)`,
      contract: '$3::json',
      status: `(ARRAY['approved', 'approved', 'denied', 'expired', 'pending'])[1 + n / cardinality($1) % 5]`,
      conversation_id: conversation,
      run_id: 'gen_random_uuid()',
      tool_call_id: `'call-' || n`,
      opened_at: timestamp,
      expires_at: timestamp,
      summary: `'Withdraw 1.5 USDC to the account that owns the wallet.'`,
      stream: `'conversation-' || ${conversation}`,
      opened_revision: '4',
      opened_by: '$4::json',
      opened_position: 'n',
      position: 'n',
    },
    counter: `'approvals/' || user_id || '/' || status`,
  },
};

/**
 * Fills a read model of a running deployment.
 * @param {string} table `runs` or `approvals`
 * @param {{userId: string}[]} users the owners of the rows, in equal parts
 */
export async function fillList({ stores }, table, users, rows) {
  const { columns, parameters, counter } = tables[table];
  const database = new pg.Client({ connectionString: stores.DATABASE_URL });
  await database.connect();
  try {
    await database.query(
      `INSERT INTO ${table} (${Object.keys(columns).join(', ')})
       SELECT ${Object.values(columns).join(', ')} FROM generate_series(1, $2::integer) AS n`,
      [users.map(({ userId }) => userId), rows, ...parameters.map((value) => JSON.stringify(value))],
    );
    await database.query(
      `INSERT INTO list_counters (name, projection, total)
       SELECT ${counter}, '${table}', count(*) FROM ${table} GROUP BY 1`,
    );
    await database.query(`VACUUM (ANALYZE) ${table}`);
    // The measurement must not wait for the disk writes that filling left behind.
    await database.query('CHECKPOINT');
  } finally {
    await database.end();
  }
}
