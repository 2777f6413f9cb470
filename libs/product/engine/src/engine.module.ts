import { Global, Module } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ArtifactsModule } from '@app/artifacts';
import { AutomationConsentModule, AutomationsModule } from '@app/automations';
import { BudgetModule } from '@app/budget';
import { LiveFramesModule } from '@app/journal';
import { EngineCatalog, RunsModule } from '@app/runs';
import { WalletsModule } from '@app/wallets';
import { DeploymentModule } from '@app/deployment';
import { ConsentCalls } from './consent-calls';
import { ExecuteRun } from './execute-run';
import { LeaseRecoveries } from './lease-recoveries';
import { ModelCalls } from './model-calls';
import { McpReadiness } from './mcp/mcp-readiness';
import { McpServers } from './mcp/mcp-servers';
import { ToolCalls } from './tool-calls';
import { ModelReadiness } from './model-readiness';
import { Models } from './models';
import { RunWorker } from './run-worker';
import { Tools } from './tools';

/** What the engine offers to profiles; every process that admits runs needs it. */
@Global()
@Module({
  imports: [ArtifactsModule, AutomationsModule, DeploymentModule, WalletsModule],
  providers: [
    McpReadiness,
    McpServers,
    ModelReadiness,
    Models,
    Tools,
    {
      provide: EngineCatalog,
      useFactory: (models: Models, modules: ModuleRef): EngineCatalog => ({
        models: models.names,
        defaultModel: models.names[0] ?? '',
        // Asked each time: servers come and go. And looked up: some tools need what is offered themselves.
        get tools() {
          return modules.get(Tools, { strict: false }).names;
        },
      }),
      inject: [Models, ModuleRef],
    },
  ],
  exports: [EngineCatalog, Models, Tools],
})
export class EngineCatalogModule {}

/** The execution of runs, for worker processes. */
@Module({
  imports: [AutomationConsentModule, BudgetModule, LiveFramesModule, RunsModule],
  providers: [ConsentCalls, ExecuteRun, LeaseRecoveries, ModelCalls, RunWorker, ToolCalls],
})
export class EngineModule {}
