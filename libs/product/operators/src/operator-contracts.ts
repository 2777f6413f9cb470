import type { Contract } from '@app/http';
import * as approvals from './approvals/approvals.contract';
import * as audit from './audit/audit.contract';
import * as automations from './automations/automations.contract';
import * as deployment from './deployment/deployment.contract';
import * as keys from './keys/keys.contract';
import * as logHold from './deployment/log-hold.contract';
import * as projections from './projections/projections.contract';
import * as runs from './runs/runs.contract';
import * as streams from './streams/streams.contract';
import * as users from './users/users.contract';
import * as webhooks from './webhooks/webhooks.contract';

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
