import { Module } from '@nestjs/common';
import { DeploymentControls } from './deployment-controls';
import { PauseControl } from './pause-control';

/** The controls by which operators hold the deployment. */
@Module({ providers: [DeploymentControls, PauseControl], exports: [DeploymentControls, PauseControl] })
export class DeploymentModule {}
