import type { StreamKind } from '@app/event-store';
import { operatorLogDecider, type OperatorLogCommand, type OperatorLogState } from './operator-log.decider';
import { operatorLogMembers, type OperatorLogEvent } from './operator-log.events';

/** `operator-log`: the only stream of its kind. */
export const operatorLogKind: StreamKind<OperatorLogState, OperatorLogCommand, OperatorLogEvent> = {
  category: 'operator',
  decider: operatorLogDecider,
  members: operatorLogMembers,
  stateVersion: 1,
};

export const operatorLogId = 'log';
