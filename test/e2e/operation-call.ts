import type { Contract } from '@app/http';

/** The ids that a call's path and body name. */
export interface Ids {
  readonly userId: string;
  readonly conversationId: string;
  readonly runId: string;
  /** Of a run that waits. */
  readonly approvalId: string;
  /** Of a prepared withdrawal. */
  readonly operationId: string;
  /** Of the conversation. */
  readonly artifactId: string;
  /** What a decision on the resource must say. */
  readonly fingerprint: string;
  readonly automationId: string;
  /** Of a signal. */
  readonly inputId: string;
  /** The automation's present one. */
  readonly revision: string;
}

/** What an operation can act on. */
export type ResourceId = Exclude<keyof Ids, 'userId' | 'fingerprint' | 'revision'>;

/** One operation of the partner API, as a well-formed request. */
export interface OperationCall {
  readonly operation: string;
  readonly method: Contract['method'];
  /** The route's pattern; `:name` stands for the id of that name. */
  readonly path: string;
  readonly status: number;
  readonly body?: (ids: Ids) => object;
  /** What stands in the place of a JSON body: bytes of any kind, and the query that they need. */
  readonly bytes?: { readonly body: string; readonly query: string };
  /** The resources that the call acts on, and whether their ids stand in the path or in the body. */
  readonly resources: readonly { readonly id: ResourceId; readonly in: 'path' | 'body' }[];
  /** Query parameters that it knows, each with a value that it takes. */
  readonly query?: Readonly<Record<string, string>>;
  readonly account?: 'not required';
  /** Answers with what was once uploaded, which need not be JSON. */
  readonly answersBytes?: true;
  /** Answers with an event stream, which never ends by itself. */
  readonly streams?: true;
}
