import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { ServedLog } from '@app/audit';
import { productVersion } from '@app/kernel';
import { Configuration } from '@app/settings';
import type { DeploymentIdentity } from './document.schema';

/** Identifies the deployment that answers. @throws Unavailable */
export class IdentifyDeployment extends Query<DeploymentIdentity> {}

@QueryHandler(IdentifyDeployment)
export class IdentifyDeploymentHandler implements IQueryHandler<IdentifyDeployment> {
  constructor(
    private readonly log: ServedLog,
    private readonly configuration: Configuration,
  ) {}

  async execute(): Promise<DeploymentIdentity> {
    const deploymentId = await this.log.origin();
    return { deploymentId, version: productVersion, mode: this.configuration.env.PARLEY_MODE };
  }
}
