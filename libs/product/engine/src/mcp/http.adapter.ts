import { isJSONRPCNotification, isJSONRPCRequest, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { JSONRPCMessage, RequestId, StreamableHTTPClientTransportOptions } from '@modelcontextprotocol/client';
import { requestUnderWay } from './bounded-fetch';
import { brokenOffCode } from './connection';
import { ResumptionPauses } from './resumption-pauses';

type Scheduler = NonNullable<StreamableHTTPClientTransportOptions['reconnectionScheduler']>;
type SendOptions = Parameters<StreamableHTTPClientTransport['send']>[1];

/** How long a cancellation may take, because a server may not even accept that. */
const cancelWithinMs = 2000;

/** How a dropped stream is resumed after its last event: with growing pauses, a limited number of times. */
const resumption = {
  initialReconnectionDelay: 500,
  maxReconnectionDelay: 5000,
  reconnectionDelayGrowFactor: 2,
  maxRetries: 5,
};

/**
 * The SDK's Streamable HTTP, which resumes dropped streams and follows a redirect only within its origin, because another origin would see
 * our credentials. Adds what the SDK lacks for sessions: a cancelled request also ends its connection, after the server was notified, for
 * servers that notice nothing else; a request whose stream ends without an answer, or whose answer is too large, fails at once rather than
 * at its deadline.
 */
export class HttpTransport extends StreamableHTTPClientTransport {
  private readonly underWay = new Map<RequestId, AbortController>();

  constructor(url: URL, options: Pick<StreamableHTTPClientTransportOptions, 'fetch' | 'authProvider'>) {
    // For the stream of what the server sends unasked.
    const unasked = new ResumptionPauses();
    const reconnectionScheduler: Scheduler = (resume, askedMs) => {
      const { pauses } = requestUnderWay.getStore() ?? { pauses: unasked };
      const timer = setTimeout(resume, pauses.next(askedMs)).unref();
      return () => clearTimeout(timer);
    };
    super(url, { ...options, reconnectionOptions: resumption, reconnectionScheduler });
    // The client calls this before its own handler.
    this.onmessage = (message) => {
      if (!('method' in message) && message.id !== undefined) this.underWay.delete(message.id);
    };
  }

  override async send(message: JSONRPCMessage, options?: SendOptions): Promise<void> {
    if (isCancellation(message)) return this.cancel(message, options);
    if (!isJSONRPCRequest(message)) return super.send(message, options);
    const { id } = message;
    const abort = new AbortController();
    this.underWay.set(id, abort);
    try {
      const onRequestStreamEnd = () => this.breakOff(id, 'the stream ended without an answer');
      const request = {
        breakOff: (why: string) => this.breakOff(id, why),
        lastEventId: null,
        pauses: new ResumptionPauses(),
      };
      await requestUnderWay.run(request, () =>
        super.send(message, { ...options, requestSignal: abort.signal, onRequestStreamEnd }),
      );
    } catch (error) {
      this.underWay.delete(id);
      throw error;
    }
  }

  override async close(): Promise<void> {
    await this.terminateSession().catch(() => undefined); // a courtesy, bounded in time
    await super.close();
  }

  private async cancel(message: Cancellation, options: SendOptions): Promise<void> {
    try {
      await super.send(message, { ...options, requestSignal: AbortSignal.timeout(cancelWithinMs) });
    } finally {
      this.underWay.get(message.params.requestId)?.abort();
      this.underWay.delete(message.params.requestId);
    }
  }

  private breakOff(id: RequestId, why: string): void {
    const abort = this.underWay.get(id);
    if (abort === undefined) return;
    this.underWay.delete(id);
    abort.abort(); // otherwise the stream would be resumed
    this.onmessage?.({ jsonrpc: '2.0', id, error: { code: brokenOffCode, message: why } });
  }
}

type Cancellation = JSONRPCMessage & { readonly params: { readonly requestId: RequestId } };

function isCancellation(message: JSONRPCMessage): message is Cancellation {
  return (
    isJSONRPCNotification(message) &&
    message.method === 'notifications/cancelled' &&
    message.params?.['requestId'] !== undefined
  );
}
