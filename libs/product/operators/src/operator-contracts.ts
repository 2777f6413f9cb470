import type { Contract } from '@app/http';
import * as approvals from './approvals.contract';
import * as audit from './audit.contract';
import * as automations from './automations.contract';
import * as deployment from './deployment.contract';
import * as keys from './keys.contract';
import * as logHold from './log-hold.contract';
import * as projections from './projections.contract';
import * as runs from './runs.contract';
import * as streams from './streams.contract';
import * as users from './users.contract';
import * as webhooks from './webhooks.contract';

/** Every operation of the operator API, in the order of the scopes. */
export const operatorContracts: readonly Contract[] = [
  keys,
  users,
  runs,
  automations,
  deployment,
  projections,
  webhooks,
  streams,
  approvals,
  audit,
  logHold,
].flatMap((declared) => Object.values<object>(declared).filter(isContract));

/** A file of contracts also exports its group. */
function isContract(declared: object): declared is Contract {
  return 'operation' in declared;
}
