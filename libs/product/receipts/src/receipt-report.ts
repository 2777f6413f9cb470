/** A fault in a receipt. */
export interface ReceiptProblem {
  /** A JSON pointer into the document. */
  readonly path: string;
  /** The event that it is about; both null if it is about none. */
  readonly stream: string | null;
  readonly revision: number | null;
  readonly message: string;
}

/**
 * A claim that a receipt can prove, each building on the previous one: that its bytes have the stated hashes; that everything else in it
 * follows from these events; that the events can be one history; that the fingerprint is that of the words which the user reviewed (an
 * aspect only where words are erased); that an automation's contract covered the call; that the events are in the log; that the log signed
 * that; that witnesses saw it.
 */
export type ReceiptAspect =
  'bytes' | 'conclusions' | 'history' | 'words' | 'authority' | 'inclusion' | 'signature' | 'witnesses';

export interface ReceiptFinding {
  readonly aspect: ReceiptAspect;
  /** A plain sentence. */
  readonly text: string;
}

/** Words of an event that the receipt does not reveal. Nothing in it shows whether they were erased or are withheld. */
export interface ErasedMembers {
  readonly stream: string;
  readonly revision: number;
  /** Names of members of the event. */
  readonly members: readonly string[];
}

/** Demands that are no keys. */
export interface ReceiptDemands {
  /**
   * Accepts that words are erased: then `holds` says nothing of them, nor that the user reviewed this input and contract. False by default.
   */
  readonly acceptErased?: boolean;
}

/** The checkpoint (signed tree head) to which a receipt's proofs lead. */
export interface ReceiptCheckpoint {
  readonly origin: string;
  readonly size: number;
  /** In base64. */
  readonly root: string;
  /** Trusted witnesses that signed it, and the times of their signatures. */
  readonly witnesses: readonly { readonly name: string; readonly at: string }[];
}

/** The result of verifying a receipt. */
export interface ReceiptReport {
  /**
   * It has no fault, and everything that is demanded is proven: with a key of the log or with witnesses, that each event of the receipt is
   * in the log under them; and, unless erased words are accepted, every word, with the fingerprint over what was reviewed.
   */
  readonly holds: boolean;
  readonly proven: readonly ReceiptFinding[];
  /** Claims that this receipt cannot prove, none of which the policy demands. */
  readonly unproven: readonly ReceiptFinding[];
  /** Claims that the policy does not demand, for which nothing was verified. */
  readonly unchecked: readonly ReceiptFinding[];
  readonly problems: readonly ReceiptProblem[];
  /** Empty where the receipt reveals all words of its events. */
  readonly erased: readonly ErasedMembers[];
  /** Null if the receipt has none. */
  readonly checkpoint: ReceiptCheckpoint | null;
}

/** The findings about a receipt's proof. */
export type Found = Omit<ReceiptReport, 'holds' | 'checkpoint' | 'erased'>;

/** The findings about its contents, all of which are always checked. */
export type ContentsFound = Omit<Found, 'unchecked'>;
