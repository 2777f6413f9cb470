import { Global, Module } from '@nestjs/common';
import { ArtifactsModule } from '@app/artifacts';
import { AutomationConsentModule, AutomationsModule } from '@app/automations';
import { BudgetModule } from '@app/budget';
import { LiveFramesModule } from '@app/journal';
import { QuotasModule } from '@app/quotas';
import { EngineCatalog, RunsModule } from '@app/runs';
import { Configuration } from '@app/settings';
import { WalletsModule } from '@app/wallets';
import { DeploymentModule } from '@app/deployment';
import { ApprovedCalls } from './run/approved-calls';
import { ConsentRequests } from './steps/consent-requests';
import { toolClasses } from './declared-tools';
import { ExecuteRun } from './segments/execute-run';
import { ModelCalls } from './steps/model-calls';
import { ModelStep } from './steps/model-step';
import { ContextKeys, ReadContextKeysHandler } from './mcp/context-keys';
import { ContextKeysController } from './mcp/context-keys.controller';
import { McpReadiness } from './mcp/mcp-readiness';
import { McpServers } from './mcp/mcp-servers';
import { ToolCalls } from './steps/tool-calls';
import { ModelReadiness } from './models/model-readiness';
import { Models } from './models/models';
import { MoneyFacts } from './run/money-facts';
import { RunJournal } from './run/run-journal';
import { RunSteps } from './segments/run-steps';
import { RunWorker } from './segments/run-worker';
import { SegmentAdmission } from './segments/segment-admission';
import { SegmentWork } from './segments/segment-work';
import { StandInCalls } from './steps/fallback-calls';
import type { ToolDeclaration } from './tool-declaration';
import { Tools } from './tools';
import { UserEligibility } from './segments/user-eligibility';
import { StopExecutionHandler, WorkerSagas } from './segments/wake-worker';

/** The models and tools that the engine offers to profiles; every process that admits runs needs them. */
@Global()
@Module({
  imports: [ArtifactsModule, AutomationsModule, DeploymentModule, WalletsModule],
  providers: [
    ContextKeys,
    McpReadiness,
    McpServers,
    ModelReadiness,
    Models,
    ...toolClasses,
    {
      provide: Tools,
      useFactory: (mcpServers: McpServers, ...declared: ToolDeclaration[]): Tools => new Tools(declared, mcpServers),
      inject: [McpServers, ...toolClasses],
    },
    {
      provide: EngineCatalog,
      useFactory: (models: Models, mcpServers: McpServers, { env }: Configuration): EngineCatalog => ({
        models: models.names,
        defaultModel: models.names[0] ?? '',
        agents: env.AGENTS,
        // Read each time, because servers come and go.
        get tools() {
          return mcpServers.toolNames;
        },
      }),
      inject: [Models, McpServers, Configuration],
    },
  ],
  exports: [EngineCatalog, Models, Tools],
})
export class EngineCatalogModule {}

/** Publishes the keys by which tool servers verify whose call it is, in api processes. */
@Module({ controllers: [ContextKeysController], providers: [ContextKeys, ReadContextKeysHandler] })
export class ToolServersModule {}

/** The execution of runs, for worker processes. */
@Module({
  imports: [AutomationConsentModule, BudgetModule, LiveFramesModule, QuotasModule, RunsModule],
  providers: [
    ApprovedCalls,
    ConsentRequests,
    ExecuteRun,
    ModelCalls,
    ModelStep,
    MoneyFacts,
    RunJournal,
    RunSteps,
    RunWorker,
    SegmentAdmission,
    SegmentWork,
    StandInCalls,
    StopExecutionHandler,
    ToolCalls,
    UserEligibility,
    WorkerSagas,
  ],
})
export class EngineModule {}
