import { nullable, oneOf, shape, text, type Shaped } from '@app/schema';

export const DeploymentIdentity = shape('DeploymentIdentity', {
  deploymentId: nullable(text(), {
    description:
      'The name of its log of all events, which no other deployment has; null in the first minute of its life',
  }),
  version: text({ description: 'Of the product' }),
  mode: oneOf(['sandbox', 'production']),
});
export type DeploymentIdentity = Shaped<typeof DeploymentIdentity>;

export const identityExample: DeploymentIdentity = {
  deploymentId: 'parley/5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11',
  version: '0.2.0',
  mode: 'production',
};
