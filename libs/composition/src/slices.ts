import type { DynamicModule, Type } from '@nestjs/common';
import { ActivityModule, activityReadModel } from '@app/activity';
import { ApprovalsModule, approvalsReadModel, ApprovalWorkModule } from '@app/approvals';
import { ArtifactsModule, artifactsReadModel } from '@app/artifacts';
import {
  AuditModule,
  AuditServingModule,
  AuditWorkModule,
  logIdentityMigrations,
  logMigrations,
  logSeedMigrations,
} from '@app/audit';
import {
  automationKind,
  AutomationOwners,
  AutomationsModule,
  automationsReadModel,
  AutomationWorkModule,
} from '@app/automations';
import { BudgetModule, budgetReadModel } from '@app/budget';
import { conversationKind, ConversationsModule, conversationsReadModel } from '@app/conversations';
import { DeploymentModule } from '@app/deployment';
import { ActiveAccounts, EngineModule, EngineCatalogModule, ToolServersModule } from '@app/engine';
import { OperatorsModule, OperatorWorkModule } from '@app/operators';
import { FeedModule } from '@app/feed';
import { JournalModule, journalReadModel } from '@app/journal';
import { PartnersModule, partnersReadModel } from '@app/partners';
import type { AnyProjection, Migration, ProcessRoles, RowClass } from '@app/read-store';
import { privacyReadModel, PrivacyWorkModule } from '@app/privacy';
import { ReceiptsModule } from '@app/receipts';
import { ReferenceModule } from '@app/reference';
import { RunsModule, runsReadModel } from '@app/runs';
import { sandboxLedgerMigrations, sandboxStateMigrations } from '@app/sandbox';
import { timersMigrations } from '@app/timers';
import { accountChanges, StoredAccounts, UsersModule, usersReadModel } from '@app/users';
import { operationKind, SettlementModule, WalletsModule, walletsReadModel } from '@app/wallets';
import { WebhooksModule, webhooksReadModel, WebhookWorkModule } from '@app/webhooks';
import { asyncApiOf } from './events-document';
import { rateWindowsMigrations } from './rate-windows.row';
import { sealingCheckMigrations } from './sealing-check.row';

/** A slice's part of the read store in PostgreSQL. */
interface ReadModel {
  readonly rows: readonly RowClass[];
  readonly migrations: readonly Migration[];
  readonly projections: readonly AnyProjection[];
}

/** Every slice's part of the read store. All processes know all of it, in every role and mode. */
const readModels: readonly ReadModel[] = [
  partnersReadModel,
  usersReadModel,
  budgetReadModel,
  conversationsReadModel,
  artifactsReadModel,
  walletsReadModel,
  runsReadModel,
  automationsReadModel,
  approvalsReadModel,
  journalReadModel,
  webhooksReadModel,
  privacyReadModel,
  activityReadModel([conversationKind, operationKind, automationKind]),
];

/** Tables other than read models: rate windows, timers, the sandbox. */
const operationalTables = [
  ...rateWindowsMigrations,
  ...sealingCheckMigrations,
  ...timersMigrations,
  ...sandboxStateMigrations,
  ...sandboxLedgerMigrations,
  ...logMigrations,
  ...logIdentityMigrations,
  ...logSeedMigrations,
];

/** The read store of the whole product. */
export const readStore: ReadModel = {
  rows: readModels.flatMap(({ rows }) => rows),
  migrations: [...readModels.flatMap(({ migrations }) => migrations), ...operationalTables],
  projections: readModels.flatMap(({ projections }) => projections),
};

/** Accounts and partner keys for slices that use them through a port, because they may not import those slices themselves. */
const AccountPortsModule: DynamicModule = {
  module: class AccountPortsModule {},
  global: true,
  imports: [UsersModule, PartnersModule],
  providers: [
    {
      provide: ActiveAccounts,
      useFactory: (accounts: StoredAccounts): ActiveAccounts => ({
        changedBy: accountChanges,
        isActive: async (userId) => (await accounts.accountState(userId)) === 'active',
      }),
      inject: [StoredAccounts],
    },
    { provide: AutomationOwners, useExisting: ActiveAccounts },
  ],
  exports: [ActiveAccounts, AutomationOwners, UsersModule, PartnersModule],
};

/** The one list of slices, by the roles of the process. @param operators whether there is an operator API */
export function slicesFor({ api, worker }: ProcessRoles, operators: boolean): (Type | DynamicModule)[] {
  return [
    AccountPortsModule,
    DeploymentModule,
    BudgetModule,
    ConversationsModule,
    ArtifactsModule,
    WalletsModule,
    AutomationsModule,
    EngineCatalogModule,
    RunsModule,
    ApprovalsModule,
    ReceiptsModule,
    ActivityModule,
    AuditModule,
    WebhooksModule,
    ...(api
      ? [
          JournalModule.register(conversationKind, asyncApiOf),
          FeedModule,
          ReferenceModule.register(asyncApiOf),
          AuditServingModule,
          ToolServersModule,
        ]
      : []),
    ...(api && operators ? [OperatorsModule] : []),
    ...(worker
      ? [
          EngineModule,
          SettlementModule,
          ApprovalWorkModule,
          AutomationWorkModule,
          OperatorWorkModule,
          AuditWorkModule,
          WebhookWorkModule,
          PrivacyWorkModule,
        ]
      : []),
  ];
}
