import type { Instant, MarksOf } from '@app/kernel';

/** Controls to pause: admission of runs; signal, invoke, evaluation, firing; prepare, confirm, agent transfers. */
export const controls = ['runs', 'automations', 'withdrawals'] as const;

export type Control = (typeof controls)[number];

/** The facts of the deployment's own stream. */
export type DeploymentEvent = {
  readonly type: 'deployment.paused' | 'deployment.resumed';
  readonly at: Instant;
  readonly control: Control;
  readonly reason: string;
};

export const deploymentMembers: MarksOf<DeploymentEvent> = {
  'deployment.paused': { control: 'clear', reason: 'clear' },
  'deployment.resumed': { control: 'clear', reason: 'clear' },
};
