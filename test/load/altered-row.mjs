// Alters a row of a live table by hand, as an operator might: the next rebuild must name it.
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { parley } from './operator.mjs';

const projection = 'runs';
const column = 'cost_cents';
const byHand = 4711;

/**
 * Alters one value of a run that ended long ago, rebuilds, reads the reported differences, and switches, at first
 * without having acknowledged the difference.
 * @returns the alteration, and the result of each of these steps
 */
export async function alteredRow({ baseUrl, stores }, operator, users) {
  const database = new pg.Client({ connectionString: stores.DATABASE_URL });
  await database.connect();
  try {
    const { table, key, was } = await alter(database, users);
    const command = [
      'projections',
      'rebuild',
      projection,
      '--watch',
      '--yes',
      '--reason',
      'a row looks wrong',
      '--json',
    ];
    const { code, stdout, stderr } = await parley(baseUrl, operator, command).ended;
    if (stdout === '') throw new Error(`the command ended with ${code}:\n${stderr}`);
    const [{ rebuildId, state, differences }] = JSON.parse(stdout).data;
    const told = await parley(baseUrl, operator, ['rebuilds', 'differences', rebuildId]).ended;
    const named = (await operator.differences(rebuildId)).map(({ kind, key: of, column: what, live, rebuilt }) => ({
      kind,
      key: of,
      column: what,
      live,
      rebuilt,
    }));
    const unseen = await operator.change(`/rebuilds/${rebuildId}/switch`, {});
    const wrong = await operator.change(`/rebuilds/${rebuildId}/switch`, {
      digest: randomUUID().replaceAll('-', '').repeat(2),
    });
    const seen = await operator.change(`/rebuilds/${rebuildId}/switch`, { digest: differences.digest });
    const refusals = [unseen, wrong].map(({ status, body }) => `${status} ${body.reason}`);
    const right = await valueOf(database, await liveTable(database), key);
    const isTold = [key, column, String(byHand), String(was)].every((word) => told.stdout.includes(word));
    return {
      table,
      key,
      column,
      was,
      byHand,
      code,
      said: stderr.trim().split('\n').at(-1),
      state,
      named,
      isTold,
      refusals,
      switched: seen.status,
      right,
    };
  } finally {
    await database.end();
  }
}

/** Alters a run of a user who makes no requests. */
async function alter(database, users) {
  const table = await liveTable(database);
  const { rows } = await database.query(
    `SELECT run_key, ${column} AS was FROM ${table} WHERE status = 'completed' AND user_id <> ALL($1) ORDER BY position LIMIT 1`,
    [users.map(({ userId }) => userId)],
  );
  const [{ run_key: key, was }] = rows;
  await database.query(`UPDATE ${table} SET ${column} = $1 WHERE run_key = $2`, [byHand, key]);
  return { table, key, was };
}

async function valueOf(database, table, key) {
  const { rows } = await database.query(`SELECT ${column} AS value FROM ${table} WHERE run_key = $1`, [key]);
  return rows[0]?.value;
}

async function liveTable(database) {
  const { rows } = await database.query(
    `SELECT table_name FROM read_model_tables WHERE projection = $1 AND state = 'live'`,
    [projection],
  );
  return rows[0].table_name;
}
