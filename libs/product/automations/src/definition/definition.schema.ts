import type { Contract } from '@app/consent';
import type { JsonObject } from '@app/kernel';
import {
  withoutOthers,
  constant,
  exactly,
  givenInstant,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  orErased,
  shape,
  text,
  variants,
  type Schema,
} from '@app/schema';
import { Profile } from '@app/runs';
import { AutomationContractShape } from '@app/wallets';
import { definitionBounds as bounds } from './automation-definition';
import type { AutomationDefinition, FiringPolicy, ShownDefinition, Wake } from './automation-definition';
import { automationName, shownName } from './automation-shapes';
import { ConditionShape, ShownConditionShape } from '../condition/condition.schema';

/** The spelling of an inbound event's type (specification, "Inbound event"). */
const eventType = text({
  pattern: /^[A-Za-z][A-Za-z0-9_.:-]{0,79}$/,
  message: 'must be a letter and up to 79 letters, digits, _ . : or -',
});

const CronSchedule = withoutOthers(
  shape(
    'CronSchedule',
    {
      kind: constant('cron'),
      expression: text({
        min: 1,
        max: bounds.expressionLengthMax,
        brief: 'Five fields: minute, hour, day of month, month, day of week',
        description:
          'Five fields, as in `0 9 * * *`; one that cannot be read, or never comes due, is `automation_invalid`',
      }),
      timezone: text({
        min: 1,
        max: bounds.timezoneLengthMax,
        brief: 'IANA name, such as Europe/Berlin',
        description: 'An IANA time zone; an unknown one is `automation_invalid`',
        examples: ['Europe/Berlin'],
      }),
    },
    {
      description:
        'A time that the clocks skip fires once, at the next one that exists; one that they show twice fires once, or each time where the hour begins with `*`. Where both days are restricted, either one fires; where one begins with `*`, as `*/2` does, both must match',
    },
  ),
);

const EverySchedule = withoutOthers(
  shape(
    'EverySchedule',
    { kind: constant('every'), seconds: integer({ min: bounds.everySecondsMin, max: bounds.everySecondsMax }) },
    { description: 'Counted from the instant of the last create, update or resume' },
  ),
);

const OnceSchedule = withoutOthers(shape('OnceSchedule', { kind: constant('once'), at: givenInstant() }));

const ScheduleWake = withoutOthers(
  shape('ScheduleWake', {
    kind: constant('schedule'),
    schedule: variants([CronSchedule, EverySchedule, OnceSchedule], { by: 'kind' }),
  }),
);

const EventWake = withoutOthers(
  shape('EventWake', {
    kind: constant('event'),
    types: list(eventType, {
      min: 1,
      max: bounds.typesMax,
      description: 'The type of the inbound events that wake the rule; a signal takes any wake',
    }),
  }),
);

/** `retryForSeconds` has a default, which is filled in before the definition is stored. */
type GivenPolicy = Omit<FiringPolicy, 'retryForSeconds'> & Partial<Pick<FiringPolicy, 'retryForSeconds'>>;

const FiringPolicyShape = exactly<GivenPolicy>()(
  withoutOthers(
    shape('FiringPolicy', {
      trigger: oneOf(['match', 'edge', 'once'], {
        message: 'must be match or edge or once',
        brief: 'Every match; a match after none; the first match only',
        description:
          '`match`: every match fires; `edge`: one that follows a known verdict other than a match, or none; `once`: the first, and no other',
      }),
      cooldownSeconds: integer({
        min: 0,
        max: bounds.cooldownSecondsMax,
        description: 'From the last accepted occurrence on; a match within it makes no occurrence',
      }),
      overlap: oneOf(['skip', 'coalesce', 'queue'], {
        message: 'must be skip or coalesce or queue',
        brief: 'For a match while an occurrence is active',
        description:
          'What becomes of a match while an occurrence is active: it is skipped, takes the place of the one that waits, or waits in line (at most 100)',
      }),
      retryForSeconds: optional(
        integer({
          min: 0,
          max: bounds.retrySecondsMax,
          description: `How long an admission that fails for a retryable reason is tried again; ${bounds.retrySecondsDefault} when absent. Answers always have it`,
        }),
      ),
      maxOccurrences: optional(
        integer({
          min: 1,
          max: bounds.occurrencesMax,
          description: 'Accepted occurrences after which the automation has finished for good',
        }),
      ),
      endAt: optional(givenInstant({ description: 'From here on nothing fires' })),
    }),
  ),
);

/** Its schema requires `bounds`, which the domain type leaves optional. */
const contract: Schema<Contract> = AutomationContractShape;

/** As in `runs.start`; stored as it was given. */
const profile: Schema<JsonObject> = Profile;

const prompt = text({
  min: 1,
  max: bounds.promptLengthMax,
  brief: 'What the agent is asked to do at each occurrence',
  description: 'What the agent is asked to do at each occurrence; it grants no permission',
});

const conversation = oneOf(['new', 'same'], {
  message: 'must be new or same',
  brief: 'A conversation for each occurrence, or one for all',
  description: 'A conversation of its own for each occurrence, or one for all of them',
});

const wake = exactly<Wake>()(variants([ScheduleWake, EventWake], { by: 'kind', brief: 'When the rule is checked' }));

const condition = {
  description: 'Null: whatever wakes the rule is a match',
  brief: 'What must hold for it to fire; null: nothing',
};

const description =
  'A rule: when it is checked, what must hold, and what follows. With a `contract` the user is asked once; until it is approved, occurrences run without that authority';

type Given<Definition> = Omit<Definition, 'firing'> & { readonly firing: GivenPolicy };

/** AutomationDefinition in requests. */
export const definitionShape = exactly<Given<AutomationDefinition>>()(
  withoutOthers(
    shape(
      'AutomationDefinition',
      {
        name: automationName,
        prompt,
        profile: optional(profile),
        conversation,
        wake,
        condition: nullable(ConditionShape, condition),
        firing: FiringPolicyShape,
        contract: optional(contract),
      },
      { description },
    ),
  ),
);

/** The definition in answers: as it was accepted, but for words that were erased. */
export const shownDefinitionShape = exactly<Given<ShownDefinition>>()(
  shape(
    'ShownAutomationDefinition',
    {
      name: shownName,
      prompt: orErased(prompt),
      profile: optional(orErased(profile)),
      conversation,
      wake,
      condition: nullable(ShownConditionShape, condition),
      firing: FiringPolicyShape,
      contract: optional(contract),
    },
    { description },
  ),
);
