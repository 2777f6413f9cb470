import type { Instant } from '@app/kernel';

/**
 * Controls that operators can pause: admission of runs; signal, invoke, evaluation and firing; prepare, confirm and
 * agent transfers.
 */
export const controls = ['runs', 'automations', 'withdrawals'] as const;

export type Control = (typeof controls)[number];

/** The facts of the deployment's own stream. */
export type DeploymentEvent = {
  readonly type: 'deployment.paused' | 'deployment.resumed';
  readonly at: Instant;
  readonly control: Control;
  readonly reason: string;
};
