import { transparencyGroup } from '@app/audit';
import type { ApiDescription } from '@app/http';
import { operatorsApprovalsGroup } from '../approvals/approvals.contract';
import { checkpointsGroup, unresolvedGroup } from '../audit/audit.contract';
import { operatorsAutomationsGroup } from '../automations/automations.contract';
import { controlsGroup, deploymentGroup, logGroup } from '../deployment/deployment.contract';
import { documentGroup } from './document.contract';
import { keysGroup } from '../keys/keys.contract';
import { projectionsGroup, rebuildsGroup } from '../projections/projections.contract';
import { auditGroup } from '../deployment/log-hold.contract';
import { operatorsRunsGroup } from '../runs/runs.contract';
import { streamsGroup } from '../streams/streams.contract';
import { operatorsUsersGroup } from '../users/users.contract';
import { webhooksGroup } from '../webhooks/webhooks.contract';

const description = `What operators of a Parley deployment see and change.

Every call carries an access token of the operators' issuer (\`OPERATOR_ISSUER\`, audience \`OPERATOR_AUDIENCE\`), whose \`scope\` claim names what
it is good for; a call without the scope that it asks for is refused with \`permission_required\`. Neither a partner key nor a user's token
opens anything here.

Every change takes a reason. It is logged before anything of it is done, and completed by itself where a crash cuts it: a change that was
answered with a 503, or with nothing at all, may still be made, and asking again does it no second time. Problems, cursors and headers are
those of the partner API.`;

/** The description of the operator API in its OpenAPI document, with the groups of operations in reading order. */
export const operatorApi: ApiDescription = {
  title: 'Parley operator API',
  description,
  groups: [
    keysGroup,
    operatorsUsersGroup,
    operatorsRunsGroup,
    operatorsAutomationsGroup,
    deploymentGroup,
    controlsGroup,
    logGroup,
    projectionsGroup,
    rebuildsGroup,
    webhooksGroup,
    streamsGroup,
    auditGroup,
    operatorsApprovalsGroup,
    checkpointsGroup,
    unresolvedGroup,
    transparencyGroup,
    documentGroup,
  ],
};
