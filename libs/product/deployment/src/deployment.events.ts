import type { Instant } from '@app/kernel';

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
