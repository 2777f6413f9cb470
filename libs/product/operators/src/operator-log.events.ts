import type { Instant, JsonObject } from '@app/kernel';

/** A change that an operator asked for, with all that it takes to make it. */
export interface Intent {
  readonly intentId: string;
  readonly at: Instant;
  /** Who asked, as the issuer of operators knows them. */
  readonly operator: string;
  /** The request in which they did. */
  readonly requestId: string;
  /** As the operator API names it: `controls.pause`. */
  readonly operation: string;
  /** The id, or the name, of what is changed. */
  readonly target: string;
  /** What else the operation needs to know; nothing secret. */
  readonly parameters: JsonObject;
  /** Why, in the operator's words. */
  readonly reason: string;
}

/** A look at people's data. */
export interface Read {
  readonly at: Instant;
  readonly operator: string;
  readonly operation: string;
  /** The id of what was looked at, or an empty text where it was looked for. */
  readonly target: string;
  /** What else was asked. */
  readonly parameters: JsonObject;
}

/** The facts of the operators' log. */
export type OperatorLogEvent =
  /** Before anything of it is done. */
  | (Intent & { readonly type: 'operator.intended' })
  /** All of it is done, or it was refused: `outcome` is `done`, or why not. */
  | { readonly type: 'operator.completed'; readonly at: Instant; readonly intentId: string; readonly outcome: string }
  /** Before it is answered. */
  | (Read & { readonly type: 'operator.read' });
