import { randomBytes, randomUUID } from 'node:crypto';
import { conversationOf, type Stage, startStage, untilEnded } from '@app/testing/journeys';
import { requestJson, type TestClient } from '@app/testing/client';
import type { Provider } from '@app/testing/models';
import { OtlpReceiver, type ReceivedSpan } from '@app/testing/observability';

/** A partner's own span, which starts a run. */
export interface PartnerSpan {
  readonly traceId: string;
  readonly spanId: string;
  /** Those of W3C Trace Context; `00`: not sampled. */
  readonly flags?: string;
}

export function partnerSpan(): PartnerSpan {
  return { traceId: randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
}

/** The spans of that name, or whose name begins with it and a space. */
export function named(spans: readonly ReceivedSpan[], name: string): readonly ReceivedSpan[] {
  return spans.filter((span) => span.name === name || span.name.startsWith(`${name} `));
}

/** A deployment with a scripted model and a collector of its traces, and a conversation of a user. */
export class TracedStage {
  private constructor(
    readonly receiver: OtlpReceiver,
    readonly stage: Stage,
    readonly user: TestClient,
    readonly conversationId: string,
  ) {}

  static async start(provider: Provider, env: Readonly<Record<string, string>> = {}): Promise<TracedStage> {
    const receiver = await OtlpReceiver.start();
    const stage = await startStage(provider, { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, ...env });
    const user = await stage.deployment.newUser();
    return new TracedStage(receiver, stage, user, await conversationOf(user));
  }

  /** Starts a run as a partner whose own request is traced, and returns its id once it has ended. */
  async run({ traceId, spanId, flags = '01' }: PartnerSpan, text: string, profile: object = {}): Promise<string> {
    const { user, conversationId } = this;
    const runId = randomUUID();
    const headers = {
      ...user.headers,
      'x-request-id': `request-${runId}`,
      traceparent: `00-${traceId}-${spanId}-${flags}`,
    };
    const path = `/v1/users/${user.userId}/agent-runs`;
    const body = { runId, conversationId, input: { text }, profile };
    const { status } = await requestJson('POST', `${user.baseUrl}${path}`, body, headers);
    expect(status).toBe(202);
    await untilEnded(user, runId);
    return runId;
  }

  /** Runs in a trace of its own, and returns the spans of the run's segment and everything under it. */
  async agentSpans(text: string, profile: object = {}): Promise<readonly ReceivedSpan[]> {
    const partner = partnerSpan();
    await this.run(partner, text, profile);
    return this.receiver.trace(partner.traceId, (spans) => named(spans, 'invoke_agent').length > 0);
  }

  async stop(): Promise<void> {
    await this.stage.stop();
    await this.receiver.close();
  }
}
