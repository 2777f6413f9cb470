import type { StreamKind } from '@app/event-store';
import { deploymentDecider, type DeploymentCommand, type DeploymentState } from './deployment.decider';
import { deploymentMembers, type DeploymentEvent } from './deployment.events';

/** `deployment-main`: the only stream of its kind. */
export const deploymentKind: StreamKind<DeploymentState, DeploymentCommand, DeploymentEvent> = {
  category: 'deployment',
  decider: deploymentDecider,
  members: deploymentMembers,
  stateVersion: 1,
};

export const deploymentId = 'main';
