import { accept, unreachable, type Decider, type Instant } from '@app/kernel';
import type { Control, DeploymentEvent } from './deployment.events';

export interface DeploymentCommand {
  readonly type: 'PauseControl' | 'ResumeControl';
  readonly at: Instant;
  readonly control: Control;
  /** The operator's reason. */
  readonly reason: string;
}

/** The time and reason of each paused control; null: not paused. */
export type DeploymentState = Readonly<Record<Control, { readonly at: Instant; readonly reason: string } | null>>;

/** The rules of the deployment's controls (docs/decisions/operators.md): each is paused or not, independently. */
export const deploymentDecider: Decider<DeploymentState, DeploymentCommand, DeploymentEvent> = {
  initialState: { runs: null, automations: null, withdrawals: null },

  decide: ({ type, at, control, reason }, state) => {
    switch (type) {
      case 'PauseControl':
        return state[control] === null ? accept({ type: 'deployment.paused', at, control, reason }) : accept();
      case 'ResumeControl':
        return state[control] === null ? accept() : accept({ type: 'deployment.resumed', at, control, reason });
      default:
        return unreachable(type);
    }
  },

  evolve: (state, { type, at, control, reason }) => {
    switch (type) {
      case 'deployment.paused':
        return { ...state, [control]: { at, reason } };
      case 'deployment.resumed':
        return { ...state, [control]: null };
      default:
        return unreachable(type);
    }
  },
};
