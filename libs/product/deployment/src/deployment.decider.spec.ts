import { instant, specification } from '@app/testing/deciders';
import { deploymentDecider, type DeploymentCommand } from './deployment.decider';
import type { Control, DeploymentEvent } from './deployment.events';

const at = instant('2026-03-01T10:00Z');
const reason = 'provider incident';
const pause = (control: Control): DeploymentCommand => ({ type: 'PauseControl', at, control, reason });
const resume = (control: Control): DeploymentCommand => ({ type: 'ResumeControl', at, control, reason });
const paused = (control: Control): DeploymentEvent => ({ type: 'deployment.paused', at, control, reason });
const resumed = (control: Control): DeploymentEvent => ({ type: 'deployment.resumed', at, control, reason });

describe.each<[Control, Control]>([
  ['runs', 'automations'],
  ['automations', 'withdrawals'],
  ['withdrawals', 'runs'],
])('the control of %s', (control, other) => {
  const deployment = specification(deploymentDecider);

  it('is paused once', () => deployment.when(pause(control)).thenOnce(paused(control)));
  it('is resumed once', () => deployment.given(paused(control)).when(resume(control)).thenOnce(resumed(control)));
  it('has nothing to resume at first', () => deployment.when(resume(control)).thenNothing());
  it('can be paused again', () =>
    deployment.given(paused(control), resumed(control)).when(pause(control)).then(paused(control)));
  it('is paused on its own', () => deployment.given(paused(other)).when(pause(control)).then(paused(control)));
  it('is resumed on its own', () => deployment.given(paused(other)).when(resume(control)).thenNothing());
  it('keeps since when and why', () =>
    expect(deployment.given(paused(control)).state).toMatchObject({ [control]: { at, reason }, [other]: null }));
});
