import type { ExplainedAutomation } from '@app/automations';
import { boolean, instant, nullable, oneOf, pageOfShape, shape, text, uuid, type Shaped } from '@app/schema';
import { Member, PageQuery } from '@app/http';

export const automationFilters = ['held', 'failing', 'late'] as const;
export type AutomationFilter = (typeof automationFilters)[number];

const LastOccurrence = shape('LastOccurrence', {
  at: instant({ description: 'Its due time, or when its input was recorded' }),
  delivery: oneOf(['pending', 'deferred', 'accepted', 'rejected', 'canceled', 'skipped', 'coalesced']),
  reason: nullable(text(), { description: 'Why it was not accepted' }),
  runStatus: nullable(text(), { description: 'Of the run that it started' }),
});

export const OperatedAutomation = shape('OperatedAutomation', {
  automationId: uuid(),
  userId: uuid(),
  state: oneOf(['enabled', 'paused', 'archived']),
  held: boolean({ description: 'An operator keeps it from firing' }),
  dueAt: nullable(instant(), { description: 'When its rule is to be checked next, by the service clock' }),
  lastOccurrence: nullable(LastOccurrence),
  createdAt: instant(),
  updatedAt: instant(),
});
export type OperatedAutomation = Shaped<typeof OperatedAutomation>;

export const OperatedAutomationPage = pageOfShape('OperatedAutomation', OperatedAutomation);
export type OperatedAutomationPage = Shaped<typeof OperatedAutomationPage>;

const automation: OperatedAutomation = {
  automationId: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e05',
  userId: '5d1f3a52-6a5e-5b0c-9a5e-0f3c2b7d9e11',
  state: 'enabled',
  held: true,
  dueAt: null,
  lastOccurrence: { at: '2026-11-21T09:00:00.000Z', delivery: 'accepted', reason: null, runStatus: 'completed' },
  createdAt: '2026-11-20T08:00:00.000Z',
  updatedAt: '2026-11-20T08:00:00.000Z',
};

const explained = {
  asOf: '2026-11-21T09:30:00.000Z',
  automationId: automation.automationId,
  userId: automation.userId,
  name: '“Stop loss”',
  state: 'enabled',
  held: false,
  monitoring: 'healthy',
  definition:
    'Every hour, if the price of NEAR is below $2, the task runs, but not again while that stays so. What comes up while a run is under way is skipped. A run that cannot begin is tried again for 15 minutes.',
  activeSince: '2026-11-20T08:00:00.000Z',
  dueAt: '2026-11-21T10:00:00.000Z',
  lastCheck: {
    at: '2026-11-21T09:00:00.000Z',
    condition: 'not_matched',
    facts: [{ label: 'price of NEAR', value: '2.41', unit: 'USD', observedAt: '2026-11-21T08:59:40.000Z' }],
    omittedFacts: 0,
  },
  hindrances: [
    {
      because: 'The condition did not hold at 2026-11-21 09:00 UTC.',
      wouldHaveToBe: 'At an evaluation this holds: the price of NEAR is below $2.',
    },
  ],
  latestOccurrence: null,
} satisfies ExplainedAutomation;

export const automationsExamples = {
  explained,
  page: { data: [automation], nextCursor: null } satisfies OperatedAutomationPage,
};

export class ListOperatedAutomationsDto extends PageQuery {
  @Member(
    oneOf(automationFilters, {
      description:
        '`held`: by an operator. `failing`: its last occurrence was rejected, or the run of it failed. `late`: its rule should have been checked more than a minute ago. Archived ones are in none',
      examples: ['held'],
    }),
  )
  readonly state: AutomationFilter;
}
