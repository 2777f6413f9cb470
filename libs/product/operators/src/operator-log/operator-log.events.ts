import type { Instant, JsonObject, MarksOf } from '@app/kernel';

/** A change that an operator requested, with everything needed to make it. */
export interface Intent {
  readonly intentId: string;
  readonly at: Instant;
  /** The operator, by the subject that their issuer knows them by. */
  readonly operator: string;
  /** The request that asked for the change. */
  readonly requestId: string;
  /** The name in the operator API, such as `controls.pause`. */
  readonly operation: string;
  /** The id or the name of what is changed. */
  readonly target: string;
  /** Further parameters of the operation; nothing secret. */
  readonly parameters: JsonObject;
  /** The operator's reason. */
  readonly reason: string;
}

/** An operator's access to people's data. */
export interface Read {
  readonly at: Instant;
  readonly operator: string;
  readonly operation: string;
  /** The id of what was read, or empty for a search. */
  readonly target: string;
  /** Further parameters of the access. */
  readonly parameters: JsonObject;
}

/** The events of the operators' log. */
export type OperatorLogEvent =
  /** Recorded before anything of the change is done. */
  | (Intent & { readonly type: 'operator.intended' })
  /** The change is completed or was refused: `outcome` is `done`, or why not. */
  | { readonly type: 'operator.completed'; readonly at: Instant; readonly intentId: string; readonly outcome: string }
  /** Recorded before the answer. */
  | (Read & { readonly type: 'operator.read' });

/** The deployment's own records: an operator names no person in them but by id. */
export const operatorLogMembers: MarksOf<OperatorLogEvent> = {
  'operator.intended': {
    intentId: 'clear',
    operator: 'clear',
    requestId: 'clear',
    operation: 'clear',
    target: 'clear',
    parameters: 'clear',
    reason: 'clear',
  },
  'operator.completed': { intentId: 'clear', outcome: 'clear' },
  'operator.read': { operator: 'clear', operation: 'clear', target: 'clear', parameters: 'clear' },
};
