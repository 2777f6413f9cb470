import { Injectable } from '@nestjs/common';
import type { ReceivedEvent } from '@app/event-store';
import { isJsonList, isJsonObject, type JsonObject } from '@app/kernel';
import { isSealedValue, KeyRing, placeOf, revealValue, type KeyId, type RevealedValue } from '@app/sealing';
import { jsonIn } from './receipt-bytes';
import type { ReceiptSource, RevealedMember } from './parts/receipt-source';

/** Reveals the words that are sealed in events, so that a receipt shows them, and nothing of other events. */
@Injectable()
export class RevealedWords {
  constructor(private readonly keys: KeyRing) {}

  /** Returns the events with what is revealed of them: nothing where the key was destroyed. One read at most. Throws Unavailable. */
  async of(events: readonly ReceivedEvent[]): Promise<ReceiptSource[]> {
    const sealed = events.map(sealedIn);
    const ids = sealed.flatMap((one) => (one === null ? [] : [one.keyId]));
    const keys = ids.length === 0 ? new Map<KeyId, Buffer | null>() : await this.keys.keysOf(ids);
    return events.map((event, nth) => {
      const one = sealed[nth] ?? null;
      if (one === null) return event;
      const key = keys.get(one.keyId) ?? null;
      return {
        ...event,
        revealed: key === null ? [] : one.members.flatMap((member) => revealed(key, event.id, member, one)),
      };
    });
  }
}

interface SealedEvent {
  readonly keyId: KeyId;
  readonly members: readonly string[];
  /** Public and private members. */
  readonly content: JsonObject;
}

/** Returns what is sealed in an event; null for an event without sealed members. */
function sealedIn({ data, metadata }: ReceivedEvent): SealedEvent | null {
  const beside = jsonIn(metadata);
  const sealed = beside?.['sealed'];
  if (!isJsonObject(sealed) || typeof sealed['key'] !== 'string' || !isJsonList(sealed['members'])) return null;
  const secret = beside?.['private'];
  return {
    // Reason for the assertion: the product writes the name of a key here.
    keyId: sealed['key'] as KeyId,
    members: sealed['members'].filter((name) => typeof name === 'string'),
    content: { ...jsonIn(data), ...(isJsonObject(secret) ? secret : {}) },
  };
}

/** Returns nothing for a value that was altered, or moved from another event or member: its words are of no event of the receipt. */
function revealed(key: Buffer, eventId: string, member: string, { keyId, content }: SealedEvent): RevealedMember[] {
  const value: unknown = content[member];
  if (!isSealedValue(value)) return [];
  const place = placeOf(value);
  if (place.keyId !== keyId || place.eventId !== eventId || place.path !== member) return [];
  const words = revealedBy(() => revealValue(key, value));
  return words === null ? [] : [{ member, value: words.plain, key: words.commitKey }];
}

function revealedBy(reveal: () => RevealedValue): RevealedValue | null {
  try {
    return reveal();
  } catch {
    return null; // AES-GCM gives no further reason
  }
}
