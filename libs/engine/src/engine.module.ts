import { Global, Module } from '@nestjs/common';
import { ArtifactsModule } from '@app/artifacts';
import { BudgetModule } from '@app/budget';
import { LiveFramesModule } from '@app/journal';
import { EngineOffer, RunsModule } from '@app/runs';
import { WalletsModule } from '@app/wallets';
import { DeploymentModule } from '@app/deployment';
import { ConsentCalls } from './consent-calls';
import { ExecuteRun } from './execute-run';
import { LeaseRecoveries } from './lease-recoveries';
import { ModelCalls } from './model-calls';
import { McpServers } from './mcp/mcp-servers';
import { ToolCalls } from './tool-calls';
import { Models } from './models';
import { RulesModel } from './rules-model';
import { RunWorker } from './run-worker';
import { Tools } from './tools';

/** What the engine offers to profiles; every process that admits runs needs it. */
@Global()
@Module({
  imports: [ArtifactsModule, DeploymentModule, WalletsModule],
  providers: [
    McpServers,
    Models,
    RulesModel,
    Tools,
    {
      provide: EngineOffer,
      useFactory: (models: Models, tools: Tools): EngineOffer => ({
        models: models.names,
        defaultModel: models.names[0] ?? '',
        // Servers come and go.
        get tools() {
          return tools.names;
        },
      }),
      inject: [Models, Tools],
    },
  ],
  exports: [EngineOffer, Models, Tools],
})
export class EngineOfferModule {}

/** The execution of runs, for worker processes. */
@Module({
  imports: [BudgetModule, LiveFramesModule, RunsModule],
  providers: [ConsentCalls, ExecuteRun, LeaseRecoveries, ModelCalls, RunWorker, ToolCalls],
})
export class EngineModule {}
