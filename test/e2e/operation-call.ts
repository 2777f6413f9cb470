import type { Contract } from '@app/http';

/** The ids that a call's path and body name. */
export interface Ids {
  readonly userId: string;
  readonly conversationId: string;
  readonly runId: string;
  /** An approval of a waiting run. */
  readonly approvalId: string;
  /** The operation of a prepared withdrawal. */
  readonly operationId: string;
  /** An artifact of the conversation. */
  readonly artifactId: string;
  /** A message of the agent in the conversation. */
  readonly messageId: string;
  /** The fingerprint that a decision on the resource must contain. */
  readonly fingerprint: string;
  readonly automationId: string;
  /** An input of kind signal. */
  readonly inputId: string;
  /** The automation's current revision. */
  readonly revision: string;
}

/** The resources that an operation can act on. */
export type ResourceId = Exclude<keyof Ids, 'userId' | 'fingerprint' | 'revision'>;

/** One operation of the partner API, as a well-formed request. */
export interface OperationCall {
  readonly operation: string;
  readonly method: Contract['method'];
  /** The route's pattern, in which `:name` is a placeholder for the id of that name. */
  readonly path: string;
  readonly status: number;
  readonly body?: (ids: Ids) => object;
  /** Bytes sent in place of a JSON body, and the query that they need. */
  readonly bytes?: { readonly body: string; readonly query: string };
  /** The resources that the call acts on, and whether their ids are in the path or in the body. */
  readonly resources: readonly { readonly id: ResourceId; readonly in: 'path' | 'body' }[];
  /** The query parameters that it accepts, each with a valid value. */
  readonly query?: Readonly<Record<string, string>>;
  readonly account?: 'not required';
  /** Answers with uploaded bytes, which need not be JSON. */
  readonly answersBytes?: true;
  /** Answers with an event stream, which never ends by itself. */
  readonly streams?: true;
}
