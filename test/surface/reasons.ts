import { randomUUID } from 'node:crypto';
import { CommandBus } from '@nestjs/cqrs';
import { HoldAutomation } from '@app/automations';
import { Budgets } from '@app/budget';
import { asId, type AutomationId, type Reason } from '@app/kernel';
import { DisableUser } from '@app/users';
import {
  act,
  byOperator,
  conversationOf,
  defined,
  giveInput,
  missingId,
  moveClock,
  newOwner,
  partOf,
  providerFault,
  raw,
  read,
  rule,
  start,
  startLongRun,
  untilEnded,
  usdc,
} from '@app/testing/journeys';
import type { Deployment } from '@app/testing/deployment';
import { operatorOf, requestJson, type TestClient } from '@app/testing/client';
import {
  earnDifferencesUnseen,
  earnEngineUnavailable,
  earnExecutionUnavailable,
  earnInternal,
  earnLostBytes,
  earnRateLimited,
  earnStopPending,
  earnUnavailable,
  lowered,
  me,
  tokenFor,
  waiting,
  whilePaused,
  whileRunning,
  type Problem,
} from './troubles';

/** One way to earn a reason by a request. */
export interface Earned {
  /** Set if it needs the whole deployment, whose processes can be killed, rather than one process. */
  readonly by?: 'processes';
  readonly request: string;
  /** Set where these differ from the reason's row. */
  readonly retryable?: boolean;
  readonly status?: number;
  earn(this: void, deployment: Deployment): Promise<Problem>;
}

/** A request by a new user. */
const ofUser = (
  request: string,
  earn: (user: TestClient, deployment: Deployment) => Promise<Problem>,
  told: Pick<Earned, 'retryable'> = {},
): Earned => ({ request, earn: async (deployment) => earn(await deployment.newUser(), deployment), ...told });

/** Every reason with the requests that earn it. A new reason without any does not compile. */
export const earned: { readonly [Each in Reason]: readonly Earned[] } = {
  run_active: [
    ofUser('runs.start in a conversation whose run goes on', (user) => whileRunning([user], (id) => start(user, id))),
  ],
  budget_exhausted: [
    ofUser('runs.start when the cap is reserved', (user) =>
      whileRunning([user, user], async () => start(user, await conversationOf(user))),
    ),
    ofUser(
      'runs.start while an operator froze it',
      async (user, deployment) => {
        await partOf(deployment, Budgets).freeze(byOperator(user));
        return start(user, await conversationOf(user));
      },
      { retryable: false },
    ),
  ],
  approval_not_pending: [
    {
      request: 'approvals.deny of what was denied',
      earn: async (deployment) => {
        const { user, runId, approval } = await waiting(deployment);
        await user.post(`/approvals/${approval.id}/deny`, {});
        await untilEnded(user, runId);
        return user.post(`/approvals/${approval.id}/deny`, {});
      },
    },
  ],
  execution_capacity: [
    ofUser('runs.start when all slots are taken', async (user, deployment) => {
      const users = [await deployment.newUser(), await deployment.newUser(), await deployment.newUser()];
      return whileRunning(users, async () => start(user, await conversationOf(user)));
    }),
  ],
  execution_unavailable: [{ by: 'processes', request: 'runs.start without a worker', earn: earnExecutionUnavailable }],
  stop_pending: [{ request: 'approvals.deny while a run of the conversation stops', earn: earnStopPending }],
  automation_changed: [
    ofUser('automations.pause with a stale revision', async (user) => {
      const { id } = await defined(user);
      return act(user, id, 'pause', `1.${randomUUID()}`);
    }),
  ],
  automation_held: [
    ofUser('automations.signal while an operator holds it', async (user, deployment) => {
      const { id } = await defined(user);
      const hold = new HoldAutomation(asId<AutomationId>(id), 'test', byOperator(user).cause);
      await partOf(deployment, CommandBus).execute(hold);
      return giveInput(user, id, 'signal');
    }),
  ],
  automation_invalid: [
    ofUser('automations.create with a schedule that never fires', (user) => {
      const schedule = { kind: 'cron', expression: '0 0 31 2 *', timezone: 'UTC' };
      return user.post('/automations', rule({ wake: { kind: 'schedule', schedule } }));
    }),
  ],
  automation_completed: [
    ofUser('automations.resume of an archived one', async (user) => {
      const { id } = await defined(user);
      await user.request('DELETE', `/automations/${id}`);
      return act(user, id, 'resume', (await read(user, id)).revision);
    }),
  ],
  automation_limit: [
    ofUser('automations.create, one too many', async (user) => {
      for (let n = 0; n < Number(lowered.inProcess.AUTOMATIONS_PER_USER); n += 1) await defined(user);
      return user.post('/automations', rule());
    }),
  ],
  profile_unknown_tool: [
    ofUser('runs.start with a tool that is not offered', async (user) =>
      start(user, await conversationOf(user), 'x', { profile: { tools: ['no_such_tool'] } }),
    ),
  ],
  deployment_paused: [
    ofUser('runs.start while an operator paused runs', async (user, deployment) => {
      const id = await conversationOf(user);
      return whilePaused(deployment, user, () => start(user, id));
    }),
  ],
  run_not_active: [
    {
      request: 'runs.abort of a run that waits while another one is live',
      earn: async (deployment) => {
        const { user, conversationId, runId } = await waiting(deployment);
        const live = await startLongRun(user, conversationId);
        const answer = await user.post(`/agent-runs/${runId}/abort`);
        await user.post(`/agent-runs/${live}/abort`);
        return answer;
      },
    },
  ],
  withdrawal_changed: [
    {
      request: 'wallets.prepareWithdrawal of more than the balance',
      earn: async (deployment) => {
        return (await newOwner(deployment)).post('/wallet/withdrawals', { tokenId: usdc, amountRaw: '250000001' });
      },
    },
  ],
  credential_expired: [
    ofUser('users.me with a token from before', async (user, deployment) => {
      const authorization = `Bearer ${await tokenFor(deployment, 60)}`;
      await moveClock(deployment, 3_600);
      return me(user, { 'x-api-key': user.partnerKey, authorization });
    }),
  ],
  partner_key_required: [
    ofUser('users.me without a key', (user) => me(user, { authorization: `Bearer ${user.token}` })),
  ],
  partner_key_invalid: [
    ofUser('users.me with a key that nobody minted', (user) =>
      me(user, { ...user.headers, 'x-api-key': `pk_${'A'.repeat(43)}` }),
    ),
  ],
  account_disabled: [
    ofUser('users.me after an operator disabled the account', async (user, deployment) => {
      await partOf(deployment, CommandBus).execute(new DisableUser(byOperator(user)));
      return user.get('/v1/users/me');
    }),
  ],
  subject_mismatch: [ofUser("budget of another user's path", (user) => user.get(`/v1/users/${missingId}/budget`))],
  origin_rejected: [
    ofUser('budget from a browser on another site', (user) =>
      raw(user, 'GET', '/budget', { headers: { origin: 'https://evil.example' } }),
    ),
  ],
  permission_required: [
    {
      request: "an operator's token for another scope",
      earn: async (deployment) => (await operatorOf(deployment, ['keys'])).get('/log'),
    },
  ],
  projection_state: [
    {
      request: 'projections.skip of an event at which nothing has stopped',
      earn: async (deployment) => {
        const operator = await operatorOf(deployment, ['projections']);
        const event = { stream: 'conversation-none', revision: 0, reason: 'a test' };
        return operator.post('/projections/runs/skip', event);
      },
    },
  ],
  differences_unseen: [{ request: 'rebuilds.switch without the digest of what differs', earn: earnDifferencesUnseen }],
  account_not_provisioned: [
    ofUser('users.me before users.ensure', async (user, deployment) =>
      me(user, { ...user.headers, authorization: `Bearer ${await tokenFor(deployment)}` }),
    ),
  ],
  provider_unavailable: [
    {
      request: 'wallets.withdrawalSources while the provider is away',
      earn: async (deployment) => {
        const user = await newOwner(deployment);
        await providerFault(deployment, { down: true });
        const answer = await user.get('/wallet/withdrawals/sources');
        await providerFault(deployment, { down: false });
        return answer;
      },
    },
  ],
  engine_unavailable: [{ request: 'runs.start while the store of slots does not answer', earn: earnEngineUnavailable }],
  invalid_input: [
    ofUser('conversations.create with a member that is not known', (user) =>
      user.post('/conversations', { surprise: 1 }),
    ),
  ],
  invalid_cursor: [
    ofUser('activity with a cursor that nobody minted', (user) => user.get('/activity?cursor=nonsense')),
  ],
  internal: [
    { request: 'artifacts.get from an altered read model', earn: earnInternal },
    { request: 'artifacts.content whose bytes are lost', status: 503, retryable: true, earn: earnLostBytes },
    {
      by: 'processes',
      request: 'conversations.create while the event store is away',
      status: 503,
      retryable: true,
      earn: earnUnavailable,
    },
  ],
  rate_limited: [{ by: 'processes', request: 'budget, once too often in a minute', earn: earnRateLimited }],
  stream_capacity: [
    ofUser('conversations.stream, one too many', async (user) => {
      const path = `/conversations/${await conversationOf(user)}/stream`;
      const stream = await user.stream(path);
      const refused = await requestJson('GET', user.url(path), undefined, user.headers);
      await stream.close();
      return refused;
    }),
  ],
};
