import { Describe, Flag, Items, Nested, OneOf, Optional, Text, Value, Whole } from '@app/http';
import type { ModelFault } from '@app/runtime';
import { exactly, boolean, integer, nullable, oneOf, shape, text, type Shaped } from '@app/schema';
import { submitFaults, type ProviderFault, type SubmitFault } from './provider-faults';

const subjectLengthMax = 512;
/** 366 days: a leap year. */
const yearSeconds = 31_622_400;
const scopesMax = 32;
/** RFC 6749, section 3.3. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
const modelDelayMaxMs = 60_000;
const settleAfterMaxSeconds = 3_600;

const words = {
  submit: 'What becomes of an order that is submitted while it is set',
  settleAfterSeconds: "From an order's acceptance to its settlement, by the service clock",
  down: 'The wallet provider answers nothing',
  sessionRejected:
    'Set to true, all sessions that exist at that moment are rejected; connecting makes one that is good again',
  duplicateCallbacks: 'Each settlement is told twice',
  unpriced: 'No token has a price',
  undescribed: 'No token has decimals',
  delayMs: 'How long a step of the rules model takes, spread evenly over its words; null: 40 ms a word',
  fail: 'Every step of the rules model fails',
};

export class NewToken {
  @Describe('The same one is the same user, always')
  @Text({ min: 1, max: subjectLengthMax })
  readonly subject: string;

  @Describe('3600 when absent')
  @Optional()
  @Whole({ min: 1, max: yearSeconds })
  readonly expiresInSeconds?: number;
}

export class NewOperatorToken {
  @Text({ min: 1, max: subjectLengthMax })
  readonly subject: string;

  @Items({
    max: scopesMax,
    of: (item) => typeof item === 'string' && scope.test(item),
    what: 'a scope',
    schema: text({ pattern: scope }),
  })
  readonly scopes: string[];
}

export class ClockMove {
  @Whole({ min: 1, max: yearSeconds })
  readonly advanceSeconds: number;
}

export class ModelFaultChange {
  @Describe(words.delayMs)
  @Optional()
  @Value(
    `a whole number from 0 to ${modelDelayMaxMs}, or null`,
    isDelay,
    nullable(integer({ min: 0, max: modelDelayMaxMs })),
  )
  readonly delayMs?: number | null;

  @Describe(words.fail)
  @Optional()
  @Flag()
  readonly fail?: boolean;
}

export class ProviderFaultChange {
  @Describe(words.submit)
  @Optional()
  @OneOf(submitFaults)
  readonly submit?: SubmitFault;

  @Describe(words.settleAfterSeconds)
  @Optional()
  @Whole({ min: 0, max: settleAfterMaxSeconds })
  readonly settleAfterSeconds?: number;

  @Describe(words.down)
  @Optional()
  @Flag()
  readonly down?: boolean;

  @Describe(words.sessionRejected)
  @Optional()
  @Flag()
  readonly sessionRejected?: boolean;

  @Describe(words.duplicateCallbacks)
  @Optional()
  @Flag()
  readonly duplicateCallbacks?: boolean;

  @Describe(words.unpriced)
  @Optional()
  @Flag()
  readonly unpriced?: boolean;

  @Describe(words.undescribed)
  @Optional()
  @Flag()
  readonly undescribed?: boolean;
}

export class FaultChange {
  @Optional()
  @Nested(() => ProviderFaultChange)
  readonly provider?: ProviderFaultChange;

  @Optional()
  @Nested(() => ModelFaultChange)
  readonly model?: ModelFaultChange;
}

/** What the sandbox answers of its faults. */
export const Faults = shape('Faults', {
  provider: exactly<ProviderFault>()(
    shape('ProviderFaults', {
      submit: oneOf(submitFaults, { description: words.submit }),
      settleAfterSeconds: integer({ min: 0, max: settleAfterMaxSeconds, description: words.settleAfterSeconds }),
      down: boolean({ description: words.down }),
      sessionRejected: boolean({ description: words.sessionRejected }),
      duplicateCallbacks: boolean({ description: words.duplicateCallbacks }),
      unpriced: boolean({ description: words.unpriced }),
      undescribed: boolean({ description: words.undescribed }),
    }),
  ),
  model: exactly<ModelFault>()(
    shape('ModelFaults', {
      delayMs: nullable(integer({ min: 0, max: modelDelayMaxMs }), { description: words.delayMs }),
      fail: boolean({ description: words.fail }),
    }),
  ),
});
export type Faults = Shaped<typeof Faults>;

/** Null, beyond the specification, is what `GET` answers while no delay was set; so it can be put back. */
function isDelay(value: unknown): boolean {
  return (
    value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= modelDelayMaxMs)
  );
}
