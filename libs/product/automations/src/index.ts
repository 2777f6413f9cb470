export { AutomationApprovals } from './authority/automation-approvals';
export { automationsGroup } from './api/automations.contract';
export { inputOccurrenceId, occurrenceConversationId, occurrenceRunId } from './automation/automation-ids';
export { inputIdOf } from './inputs/input.stream';
export {
  AutomationConsentModule,
  AutomationsModule,
  automationsReadModel,
  AutomationWorkModule,
  SourcesModule,
} from './automations.module';
export { openDefinition, type AutomationDefinition, type Schedule } from './definition/automation-definition';
export type { AutomationCommand } from './automation/automation.commands';
export type { AutomationEvent } from './automation/automation.events';
export { revisionOf, type AutomationState } from './automation/automation.state';
export { automationKind } from './automation/automation.stream';
export type { AutomationView } from './views/automation.view';
export { behaviorText } from './definition/behavior';
export { ContractAuthority, ContractUses } from './authority/contract-authority';
export { automationState } from './definition/automation-shapes';
export { definitionShape } from './definition/definition.schema';
export { checkDefinition, pinnedTokens, parseDefinition } from './definition/definition-checks';
export { isFinished } from './automation/finished';
export { admitNext } from './firing/admit-next';
export { AutomationOwners, type FiringPorts } from './firing/firing-ports';
export { handleDue, handleRunEnded } from './firing/fire';
export { dueTimer } from './firing/firing-timers';
export { ruleConsent, type PresentRule } from './authority/rule-consent';
export { symbolIn } from './condition/token-symbols';
export { nextDue } from './definition/schedule';
export { Sampler } from './sources/sampler';
export { AutomationReader } from './automation/automation-reader';
export { CreateAutomation, UpdateAutomation } from './use-cases/define-automation';
export { ExplainAutomation, ExplainedAutomation } from './use-cases/explain-automation';
export { GetAutomation, ListAutomations } from './use-cases/read-automations';
export { DeleteAutomation } from './use-cases/automation-life';
export { HoldAutomation, ReleaseAutomation } from './use-cases/hold-automation';
export { inputKind } from './inputs/input.stream';
export { webhookKeysTable } from './inputs/webhook-keys';
