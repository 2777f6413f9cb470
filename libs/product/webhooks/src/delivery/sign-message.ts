import { Injectable } from '@nestjs/common';
import { instantOf, type EndpointId } from '@app/kernel';
import { noticeBody } from '@app/notices';
import { LRUCache } from 'lru-cache';
import { Webhook } from 'standardwebhooks';
import { EndpointSecrets } from '../endpoint/endpoint-secrets';
import { NoticeCache } from './notice-cache';
import type { Attempt } from './attempt-outcomes';
import type { Message } from './sender';

/** Real time: a new secret signs after this delay at most. */
const keysKeptMs = 1_000;
/** More than the number of endpoints that a deployment can have. */
const endpointsMax = 100;

/** A message, and when the event in it happened. */
export interface Made {
  readonly message: Message;
  readonly atMs: number;
}

/** Builds and signs the messages sent to endpoints, in the format of Standard Webhooks. Throws Unavailable. */
@Injectable()
export class Messages {
  private readonly keys = new LRUCache<EndpointId, readonly Buffer[]>({ max: endpointsMax, ttl: keysKeptMs });

  constructor(
    private readonly notices: NoticeCache,
    private readonly secrets: EndpointSecrets,
  ) {}

  /** Null if the notice no longer exists, or the endpoint has no key to sign with. */
  async of(attempt: Attempt): Promise<Made | null> {
    const [told, keys] = await Promise.all([this.told(attempt), this.keysOf(attempt.endpointId)]);
    if (told === null || keys.length === 0) return null;
    const body = JSON.stringify(told);
    const id = attempt.head.noticeId;
    // Real time, because receivers compare it with their own clocks.
    const at = new Date();
    const signatures = keys.map((key) => new Webhook(key, { format: 'raw' }).sign(id, at, body));
    const headers = {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': String(Math.floor(at.getTime() / 1000)),
      'webhook-signature': signatures.join(' '),
    };
    return { message: { url: attempt.url, headers, body: Buffer.from(body) }, atMs: Date.parse(told.timestamp) };
  }

  private async told({ isOwn, endpointId, stream, payload, head }: Attempt) {
    const { type, revision, createdAtMs } = head;
    if (isOwn) return { type, timestamp: instantOf(createdAtMs), data: { endpointId } };
    const notice = await this.notices.at({ stream, revision });
    return notice === null ? null : noticeBody(notice, payload);
  }

  private async keysOf(endpointId: EndpointId): Promise<readonly Buffer[]> {
    const known = this.keys.get(endpointId);
    if (known !== undefined) return known;
    const keys = await this.secrets.signingKeys(endpointId);
    this.keys.set(endpointId, keys);
    return keys;
  }
}
