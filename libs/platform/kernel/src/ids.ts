/** A string that is known to identify one kind of object; made only by the functions that checked or generated it. */
export type Branded<Name extends string> = string & { readonly __brand: Name };

export type UserId = Branded<'UserId'>;
/** An identity of a login provider, as stores know it: a keyed hash of issuer and subject (docs/decisions/personal-data.md). */
export type IdentityId = Branded<'IdentityId'>;
export type ConversationId = Branded<'ConversationId'>;
/** The id that the client sees and may choose; unique for its user only. */
export type RunId = Branded<'RunId'>;
/** The id of a run inside the deployment: UUIDv5(userId, runId). */
export type RunKey = Branded<'RunKey'>;
export type MessageId = Branded<'MessageId'>;
/** `runId/step/index`; models repeat their own call ids. */
export type ToolCallId = Branded<'ToolCallId'>;
/** The wallet's own id, distinct from the user's. */
export type WalletId = Branded<'WalletId'>;
export type ArtifactId = Branded<'ArtifactId'>;
export type ApprovalId = Branded<'ApprovalId'>;
/** A financial operation: a direct withdrawal, or a transfer by the agent (then UUIDv5 of its approval). */
export type OperationId = Branded<'OperationId'>;
export type AutomationId = Branded<'AutomationId'>;
/** One firing of an automation: UUIDv5 of the automation with its epoch and due time, or with the input. */
export type OccurrenceId = Branded<'OccurrenceId'>;
/** A signal's, an invocation's or a webhook's input: UUIDv5 of the automation, the source, and the sender's id or key. */
export type InputId = Branded<'InputId'>;
/** A process of the deployment, from its start to its end. */
export type ProcessId = Branded<'ProcessId'>;
export type PartnerKeyId = Branded<'PartnerKeyId'>;
/** A destination to which a partner's events are delivered. */
export type EndpointId = Branded<'EndpointId'>;
export type RequestId = Branded<'RequestId'>;

// Versions 1 to 8 with RFC variant bits, or the nil or the max UUID (specification, "Resources and their fields").
const uuid =
  /^(?:[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}|00000000-0000-0000-0000-000000000000|ffffffff-ffff-ffff-ffff-ffffffffffff)$/;

/** Parses a UUID into lower case; null for any other text. Either case is accepted (docs/decisions/conventions.md). */
export function parseUuid<Id extends Branded<string>>(text: unknown): Id | null {
  if (typeof text !== 'string') return null;
  const lower = text.toLowerCase();
  // Reason for the assertion: the check above justifies the brand.
  return uuid.test(lower) ? (lower as Id) : null;
}

/** Brands a text that the caller generated, or read from its own records, as an id of that kind. */
export function asId<Id extends Branded<string>>(text: string): Id {
  // Reason for the assertion: trusted text gets its brand here.
  return text as Id;
}
