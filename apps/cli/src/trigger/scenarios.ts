import type { NoticeType } from '@app/notices';
import {
  abort,
  approve,
  askedForConsent,
  automation,
  deny,
  exhaustBudget,
  invoke,
  rate,
  rejectSession,
  say,
  sentence,
  withdraw,
} from './steps';
import type { TriggerUser } from './trigger-user';

/** Causes an event of one type, for a user of its own, by calls that any partner could make. */
export interface Scenario {
  /** The description that users read. */
  readonly does: string;
  /** Other notices that it causes, now or a little later. */
  readonly alongside: readonly NoticeType[];
  /** Resolves when everything is requested; the event may follow a moment later. Throws CommandFailed. */
  make(this: void, user: TriggerUser): Promise<unknown>;
}

/** Every type of notice, with the scenario that causes it. */
export const scenarios: Readonly<Record<NoticeType, Scenario>> = {
  'run.ended': {
    does: 'A run does what its user says, and ends.',
    alongside: [],
    make: (user) => say(user, sentence),
  },
  'run.suspended': {
    does: 'A run asks to withdraw 1.5 USDC, and waits. It stays so.',
    alongside: ['approval.opened'],
    make: askedForConsent,
  },
  'approval.opened': {
    does: 'A run asks to withdraw 1.5 USDC. The approval stays pending, so that you can see it.',
    alongside: ['run.suspended'],
    make: askedForConsent,
  },
  'approval.decided': {
    does: 'A run asks to withdraw 1.5 USDC, and its user denies it.',
    alongside: ['run.suspended', 'approval.opened', 'run.ended'],
    make: async (user) => deny(user, await askedForConsent(user)),
  },
  'approval.expired': {
    does: 'A run asks to withdraw 1.5 USDC, and is aborted, which ends its approval too.',
    alongside: ['run.suspended', 'approval.opened', 'run.ended'],
    make: async (user) => abort(user, await askedForConsent(user)),
  },
  'operation.submitted': {
    does: 'A run asks to withdraw 1.5 USDC, and its user approves it.',
    alongside: ['run.suspended', 'approval.opened', 'approval.decided', 'settlement.updated', 'run.ended'],
    make: async (user) => approve(user, await askedForConsent(user)),
  },
  'settlement.updated': {
    does: 'A user withdraws 1.5 USDC without the agent, and it arrives.',
    alongside: ['approval.opened', 'approval.decided', 'operation.submitted'],
    make: withdraw,
  },
  'automation.triggered': {
    does: 'An automation is invoked, and starts a run. The automation is archived afterwards.',
    alongside: ['run.ended'],
    make: async (user) => invoke(user, await automation(user)),
  },
  'automation.rejected': {
    does: 'An automation is invoked while the budget of its user is frozen. It is archived afterwards.',
    alongside: [],
    make: async (user) => {
      await user.operate('POST', '/freeze');
      await invoke(user, await automation(user));
    },
  },
  'automation.completed': {
    does: 'An automation that may start one run is invoked, and so is finished. It is archived afterwards.',
    alongside: ['automation.triggered', 'run.ended'],
    make: async (user) => invoke(user, await automation(user, { maxOccurrences: 1 })),
  },
  'wallet.authorization_required': {
    does: 'The provider rejects the session of one wallet, which is then examined.',
    alongside: [],
    make: rejectSession,
  },
  'budget.exhausted': {
    does: "An operator lowers a user's cap for the day to what one more run needs, and one more runs.",
    alongside: ['run.ended'],
    make: exhaustBudget,
  },
  'user.disabled': {
    does: 'An operator disables a user.',
    alongside: [],
    make: (user) => user.operate('POST', '/disable'),
  },
  'user.erased': {
    does: 'An operator erases a user, whose words nobody can read any more.',
    alongside: ['user.disabled'],
    make: (user) => user.operate('POST', '/erase'),
  },
  'message.rated': {
    does: 'A run does what its user says, and the user rates what the agent answered.',
    alongside: ['run.ended'],
    make: async (user) => rate(user, await say(user, sentence)),
  },
};
