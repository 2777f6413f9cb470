import type { StreamKind } from '@app/event-store';
import { erasureDecider, type ErasureCommand, type ErasureState } from './erasure.decider';
import { erasureMembers, type ErasureEvent } from './erasure.events';

/** The stream `erasure-<userId>`. */
export const erasureKind: StreamKind<ErasureState, ErasureCommand, ErasureEvent> = {
  category: 'erasure',
  decider: erasureDecider,
  members: erasureMembers,
  stateVersion: 1,
};
