import { sentence, type Ours } from '@app/kernel';
import type { UpdateAutomation } from '../src/automation/automation.commands';
import type { AutomationEvent } from '../src/automation/automation.events';
import {
  ada,
  arose,
  createdWith,
  definitionWith,
  dueAt,
  evaluated,
  firstEpoch,
  occurrence,
  running,
  secondEpoch,
  seconds,
} from './automation-facts';

/** Commands to Ada's rule soon after its creation, at its first revision, and the events that they record. */

/** Half a minute after its creation. */
export const soon = seconds(30);
export const revision = `1.${firstEpoch}`;
const byAda = { at: soon, userId: ada, revision } as const;
export const pause = { type: 'PauseAutomation', ...byAda } as const;
export const resume = { type: 'ResumeAutomation', ...byAda, epoch: secondEpoch } as const;
export const archive = { type: 'ArchiveAutomation', at: soon, userId: ada } as const;
export const rotate = { type: 'RotateWebhookKey', ...byAda, keyId: 'key' } as const;
export const update: UpdateAutomation = {
  type: 'UpdateAutomation',
  ...byAda,
  symbols: { 'nep141:usdc': 'USDC.e' },
  epoch: secondEpoch,
  review: null,
  definition: { ...definitionWith(), name: 'Another' },
};
export const paused = { type: 'automation.paused', at: soon } as const;
export const resumed = { type: 'automation.resumed', at: soon, epoch: secondEpoch } as const;
export const rotated = { type: 'automation.webhook_rotated', at: soon, keyId: 'key' } as const;
export const archived = { type: 'automation.archived', at: soon } as const;
export const completed = { type: 'automation.completed', at: soon, because: 'end_at' } as const;
export const held = { type: 'automation.held', at: soon, reason: 'odd' } as const;
export const updated = {
  type: 'automation.updated',
  at: soon,
  definition: update.definition,
  symbols: update.symbols,
  definitionVersion: 2,
  epoch: secondEpoch,
} as const;
/** A rule with one occurrence that runs, and one that waits behind it. */
export const busy = [createdWith(), ...running(1), evaluated(2, 'true'), arose(dueAt(2))];
export const canceled = <const Text extends string>(reason: Ours<Text>): AutomationEvent => ({
  type: 'occurrence.canceled',
  at: soon,
  occurrenceId: occurrence(2),
  reason: sentence(reason),
});
