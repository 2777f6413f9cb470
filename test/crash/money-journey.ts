import type { TestClient } from '@app/testing/client';
import { until } from '@app/testing/until';
import { answered, type Journey } from '@app/testing/journeys';

/** Detects hangs: a lost worker's lease, restarts and a busy machine need far less together. */
const doneWithinMs = 180_000;
const usdc = 'nep141:17208628f84f5d6ad33f0da3bbbeb27ffcb398eac501a31bd6ad2011e36133a1';

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
 * The requests of a partner's backend that move money, whatever dies meanwhile: a withdrawal that a run requests and
 * the user approves, in parallel with a direct one. After an ambiguous answer it reads the recorded state
 * instead of starting over.
 */
export class MoneyJourney {
  /** Operations that were acknowledged, each of which must settle once. */
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
    const approvalId = await inTime('an approval', async () => {
      const run = await this.read<{ status: string; pendingApprovalIds: string[] }>(`/agent-runs/${runId}`);
      if (run?.status === 'failed') throw new Error(`run ${runId} failed: ${JSON.stringify(run)}`);
      return run?.status === 'awaiting_approval' ? run.pendingApprovalIds[0] : null;
    });
    await inTime('the decision', async () => {
      const approval = await this.approval(approvalId);
      if (approval === null || approval.status === 'approved') return approval?.status;
      const { fingerprint } = approval;
      const asked = this.client.post(`/approvals/${approvalId}/approve`, { fingerprint });
      await asked.catch(() => undefined); // a killed api gives no answer; the next iteration reads what it recorded
      return null;
    });
    this.journey.acknowledged.push({ kind: 'approved', conversationId, approvalId });
    await this.journey.untilEnded(conversationId, runId);
    const operationId = await inTime('the operation', async () => (await this.approval(approvalId))?.operationId);
    await this.settled(operationId);
  }

  private async directly(): Promise<void> {
    const asked = { tokenId: usdc, amountRaw: '2500001' };
    // A withdrawal whose preparation got no answer is never confirmed.
    const { body } = await answered(() => this.client.post<Prepared>('/wallet/withdrawals', asked));
    const { operationId, fingerprint } = body;
    await inTime('the confirmation', async () => {
      const path = `/wallet/withdrawals/${operationId}/confirm`;
      const answer = await this.client.post(path, { fingerprint }).catch(() => null); // a killed api: read below
      if (answer?.status === 202) return operationId;
      const found = await this.read<{ status: string }>(`/financial-operations/${operationId}`);
      return found?.status === 'submitted' || found?.status === 'settled' ? operationId : null;
    });
    await this.settled(operationId);
  }

  private async settled(operationId: string): Promise<void> {
    this.confirmed.push(operationId);
    await inTime(`the settlement of ${operationId}`, async () => {
      const found = await this.read<{ status: string }>(`/financial-operations/${operationId}`);
      if (found?.status === 'failed') throw new Error(`operation ${operationId} failed: ${JSON.stringify(found)}`);
      return found?.status === 'settled' ? true : null;
    });
  }

  private async approval(approvalId: string): Promise<Approval | null> {
    return this.read<Approval>(`/approvals/${approvalId}`);
  }

  /**
   * Null if not found: without a projector, a new resource is not found until there is one again
   * (docs/decisions/conventions.md).
   */
  private async read<Body>(path: string): Promise<Body | null> {
    const { status, body } = await answered(() => this.client.get<Body>(path), { orStatus: 404 });
    return status === 404 ? null : body;
  }
}

function inTime<Value>(what: string, look: () => Promise<Value | null | undefined>): Promise<Value> {
  return until(what, look, doneWithinMs);
}
