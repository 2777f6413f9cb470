import type { StreamKind } from '@app/event-store';
import { checkpointsDecider, type CheckpointCommand, type CheckpointsState } from './checkpoints.decider';
import { checkpointMembers, type CheckpointEvent } from './checkpoints.events';

/** `audit-checkpoints`: the only stream of its kind. */
export const checkpointsKind: StreamKind<CheckpointsState, CheckpointCommand, CheckpointEvent> = {
  category: 'audit',
  decider: checkpointsDecider,
  members: checkpointMembers,
  stateVersion: 3,
};

export const checkpointsId = 'checkpoints';
