/** An event with its stored bytes. */
export interface EventBytes {
  readonly stream: string;
  readonly revision: number;
  readonly id: string;
  readonly type: string;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
}

/** A sealed member as a receipt reveals it: the exact bytes of its JSON, and the key under which their HMAC is the commitment. */
export interface RevealedMember {
  readonly member: string;
  readonly value: Uint8Array;
  readonly key: Uint8Array;
}

/** An event with its stored bytes, and what is revealed of its sealed members; absent where it has none. */
export interface ReceiptSource extends EventBytes {
  readonly revealed?: readonly RevealedMember[];
}

/** A claim that must hold, the member of the event that it concerns, and the message for the case that it does not hold. */
export type Check = readonly [holds: boolean, member: string, message: string];
