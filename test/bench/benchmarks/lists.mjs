import { requestsPerSecond } from '../http-load.mjs';
import { startDeployment } from '../deployment.mjs';
import { startBaseline } from '../processes.mjs';
import { fillList } from '../seeded-lists.mjs';

const connections = 50;
const usersCount = 10;
const pageRows = 50;

/** The newest runs of a user. */
export const runsList = listBenchmark({
  operation: 'runs.list',
  table: 'runs',
  path: '/agent-runs',
  select: `SELECT id, conversation_id AS "conversationId", origin, automation_id AS "automationId",
      occurrence_id AS "occurrenceId", request, response, output, status, segment,
      pending_approval_ids AS "pendingApprovalIds", input_tokens AS "inputTokens", output_tokens AS "outputTokens",
      cost_cents AS "costCents", failure, created_at AS "createdAt", started_at AS "startedAt", ended_at AS "endedAt"
    FROM runs WHERE user_id = $1 ORDER BY opened_position DESC LIMIT $2`,
});

/** The newest approvals of a user. */
export const approvalsList = listBenchmark({
  operation: 'approvals.list',
  table: 'approvals',
  path: '/approvals?status=all',
  select: `SELECT id, kind, tool, fingerprint, input, contract, status, conversation_id AS "conversationId",
      run_id AS "runId", tool_call_id AS "toolCallId", operation_id AS "operationId", automation_id AS "automationId",
      opened_at AS "openedAt", expires_at AS "expiresAt", decided_at AS "decidedAt", decided_by AS "decidedBy",
      denial_reason AS "denialReason", ended_reason AS "endedReason", summary
    FROM approvals WHERE user_id = $1 ORDER BY opened_position DESC LIMIT $2`,
});

/**
 * The first page of a list among very many rows, against one query of the same rows in the same database, and against
 * the same list among few rows in a second deployment.
 */
function listBenchmark({ operation, table, path, select }) {
  const name = `${operation}, ${pageRows} rows among 1,000,000`;
  return {
    number: 5,
    name,
    against: 'bare Fastify + the same SELECT',
    figures: [
      { key: 'rate', unit: 'requests/s', better: 'more', aim: 0.8, floor: 0.6 },
      { key: 'tookMs', against: 'the same among 10,000', unit: 'ms', better: 'less', aim: 1.2 },
    ],

    async open(_, { seconds, manyRows, fewRows }) {
      const many = await filled({ table, path, rows: manyRows });
      const few = await filled({ table, path, rows: fewRows });
      const bare = await startBaseline('list', {
        DATABASE_URL: many.deployment.stores.DATABASE_URL,
        SELECT: select,
      });
      const bareRequests = many.users.map(({ userId }) => ({
        method: 'GET',
        path: `/users/${userId}/list?limit=${pageRows}`,
      }));
      const load = (url, requests) => requestsPerSecond({ url, requests, connections, seconds });
      const ours = ({ deployment, requests }) => load(deployment.baseUrl, requests);
      return {
        ours: async () => withTime(await ours(many)),
        baseline: async () => {
          const rate = await load(bare.url, bareRequests);
          return { rate, tookMs: withTime(await ours(few)).tookMs };
        },
        close: async () => {
          await bare.stop();
          await few.deployment.stop();
          await many.deployment.stop();
        },
      };
    },
  };
}

/** @param {number} rate requests a second of all connections; `tookMs` is the time from one answer to the next */
const withTime = (rate) => ({ rate, tookMs: 1000 / rate });

/** Starts a separate deployment with `rows` rows, and returns requests of their users. */
async function filled({ table, path, rows }) {
  const deployment = await startDeployment();
  try {
    const names = Array.from({ length: usersCount }, (_, number) => `list-${number}`);
    const users = await Promise.all(names.map((name) => deployment.newUser(name)));
    await fillList(deployment, table, users, rows);
    const page = await users[0].get(path);
    if (page.data.length !== pageRows || page.total !== rows / usersCount) throw new Error(`${table} is not filled`);
    const requests = users.map(({ url, headers }) => {
      return { method: 'GET', path: `${new URL(url).pathname}${path}`, headers };
    });
    return { deployment, users, requests };
  } catch (error) {
    await deployment.stop();
    throw error;
  }
}
