import { Module } from '@nestjs/common';
import { DeploymentControls } from './deployment-controls';
import { PauseControlHandler, ResumeControlHandler } from './change-control';

/** The controls by which operators pause parts of the deployment. */
@Module({
  providers: [DeploymentControls, PauseControlHandler, ResumeControlHandler],
  exports: [DeploymentControls],
})
export class DeploymentModule {}
