import type { NoticeType } from '@app/notices';
import { OperatorClient, requestJson, TestClient } from '@app/testing/client';
import { startSandbox, type Sandbox } from '@app/testing/processes';
import { parley, type CommandOutcome } from './cli';

/** An event as the feed has it. */
export interface FeedEntry {
  readonly id: string;
  readonly type: string;
  readonly data: { readonly userId: string };
}

/** The output of `parley trigger --json` for each scenario that it ran. */
export interface Triggered {
  readonly type: string;
  readonly did: string;
  readonly subject: string;
  readonly userId: string;
  readonly events: readonly FeedEntry[];
}

/** The output of `parley trigger --list --json` for each scenario. */
export interface Scenario {
  readonly type: NoticeType;
  readonly does: string;
  readonly alongside: readonly string[];
}

/** A sandbox as `npm start` runs it, with a developer's shell in its folder and an operator's view of it. */
export class TriggerStage {
  private constructor(
    readonly sandbox: Sandbox,
    readonly operator: OperatorClient,
  ) {}

  static async start(): Promise<TriggerStage> {
    const sandbox = await startSandbox();
    const minting = { subject: 'ada', scopes: ['users', 'keys', 'deployment'] };
    const { accessToken } = await lever<{ accessToken: string }>(sandbox, 'POST', 'operator-tokens', minting);
    return new TriggerStage(sandbox, new OperatorClient(sandbox.access.baseUrl, accessToken));
  }

  readonly run = (...args: string[]): Promise<CommandOutcome> => parley({}, args, this.sandbox.folder);

  /** Makes a call of the sandbox, which must succeed. */
  async lever<Body>(method: string, path: string, body?: object): Promise<Body> {
    return lever<Body>(this.sandbox, method, path, body);
  }

  /** All events of a user in the feed. */
  async feedOf(userId: string): Promise<FeedEntry[]> {
    const { baseUrl, partnerKey } = this.sandbox.access;
    const told: FeedEntry[] = [];
    for (let from: string | null = ''; from !== null;) {
      const url: string = `${baseUrl}/feed/v1/events?limit=500${from}`;
      const page = await requestJson<{ data: FeedEntry[]; nextCursor: string | null }>('GET', url, undefined, {
        'x-api-key': partnerKey,
      });
      told.push(...page.body.data.filter(({ data }) => data.userId === userId));
      from = page.body.nextCursor && `&cursor=${encodeURIComponent(page.body.nextCursor)}`;
    }
    return told;
  }

  /** The numbers of a user's live runs, automations and archived automations. */
  async actingFor(userId: string): Promise<{ liveRuns: number; automations: number; archived: number }> {
    const { body } = await this.operator.get<{ account: { subject: string }; liveRuns: { count: number } }>(
      `/users/${userId}`,
    );
    const { accessToken } = await this.lever<{ accessToken: string }>('POST', 'tokens', {
      subject: body.account.subject,
    });
    const { baseUrl, partnerKey } = this.sandbox.access;
    const user = new TestClient(baseUrl, partnerKey, accessToken, userId);
    const count = async (path: string) => (await user.get<{ total: number }>(path)).body.total;
    const [automations, archived] = [await count('/automations'), await count('/automations?state=archived')];
    return { liveRuns: body.liveRuns.count, automations, archived };
  }
}

async function lever<Body>({ access }: Sandbox, method: string, path: string, body?: object): Promise<Body> {
  const answer = await requestJson<Body>(method, `${access.baseUrl}/sandbox/v1/${path}`, body);
  expect(answer.status).toBe(200);
  return answer.body;
}
