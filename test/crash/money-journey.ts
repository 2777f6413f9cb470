import { setTimeout as sleep } from 'node:timers/promises';
import type { TestClient } from '../support/deployment-client';
import { answered, type Journey } from './journey';

const doneWithinMs = 60_000;
const askAgainMs = 50;
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';
/** What one walk takes from the wallet: by a run, and directly. */
export const takenRaw = { byRun: '1500000', directly: '2500001' } as const;

interface Approval {
  readonly status: string;
  readonly fingerprint: string;
  readonly operationId: string | null;
}

interface Prepared {
  readonly operationId: string;
  readonly fingerprint: string;
}

/**
 * What a partner's backend does about money, whatever dies meanwhile: a withdrawal that a run asks for and the user approves, and a
 * direct one, side by side. After an ambiguous answer it reads what was recorded, and replaces nothing.
 */
export class MoneyJourney {
  /** Operations that were promised, each of which must settle once. */
  readonly confirmed: string[] = [];

  constructor(
    private readonly client: TestClient,
    private readonly journey: Journey,
  ) {}

  async walk(): Promise<void> {
    await answered(() => this.client.post('/wallet'));
    await Promise.all([this.byRun(), this.directly()]);
  }

  private async byRun(): Promise<void> {
    const conversationId = await this.journey.open();
    const runId = await this.journey.start(conversationId, 'withdraw 1.5 USDC');
    const approvalId = await this.until('an approval', async () => {
      const { body } = await this.read<{ status: string; pendingApprovalIds: string[] }>(`/agent-runs/${runId}`);
      return body.status === 'awaiting_approval' ? (body.pendingApprovalIds[0] ?? null) : null;
    });
    await this.until('the decision', async () => {
      const { status, fingerprint } = await this.approval(approvalId);
      if (status !== 'pending') return status;
      // It may be recorded without an answer: then it is not asked for again.
      await this.client.post(`/approvals/${approvalId}/approve`, { fingerprint }).catch(() => undefined);
      return null;
    });
    this.journey.acknowledged.push({ kind: 'approved', conversationId, approvalId });
    await this.journey.untilEnded(conversationId, runId);
    const operationId = await this.until('the operation', async () => (await this.approval(approvalId)).operationId);
    await this.settled(operationId);
  }

  private async directly(): Promise<void> {
    const asked = { tokenId: usdc, amountRaw: takenRaw.directly };
    // One that was prepared without an answer is never confirmed.
    const { body } = await answered(() => this.client.post<Prepared>('/wallet/withdrawals', asked));
    const { operationId, fingerprint } = body;
    await this.until('the confirmation', async () => {
      const path = `/wallet/withdrawals/${operationId}/confirm`;
      const answer = await this.client.post(path, { fingerprint }).catch(() => null);
      if (answer?.status === 202) return operationId;
      const found = await this.read<{ status: string }>(`/financial-operations/${operationId}`);
      return ['submitted', 'settled'].includes(found.body.status) ? operationId : null;
    });
    await this.settled(operationId);
  }

  private async settled(operationId: string): Promise<void> {
    this.confirmed.push(operationId);
    await this.until(`the settlement of ${operationId}`, async () => {
      const { body } = await this.read<{ status: string }>(`/financial-operations/${operationId}`);
      if (body.status === 'failed') throw new Error(`operation ${operationId} failed: ${JSON.stringify(body)}`);
      return body.status === 'settled' ? true : null;
    });
  }

  private async approval(approvalId: string): Promise<Approval> {
    return (await this.read<Approval>(`/approvals/${approvalId}`)).body;
  }

  /** Without a projector, what was just made is not found until there is one again (decisions.md, section 1). */
  private async read<Body>(path: string) {
    return answered(() => this.client.get<Body>(path), { orStatus: 404 });
  }

  private async until<Value>(what: string, look: () => Promise<Value | null>): Promise<Value> {
    const deadline = performance.now() + doneWithinMs;
    for (;;) {
      const value = await look();
      if (value !== null && value !== undefined) return value;
      if (performance.now() > deadline) throw new Error(`${what} did not come in time`);
      await sleep(askAgainMs);
    }
  }
}
