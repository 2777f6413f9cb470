import { Flag, integer, Items, Nested, nullable, OneOf, Optional, text, Text, Value, Whole } from '@app/http';
import type { ModelFault } from '@app/runtime';
import { submitFaults, type ProviderFault, type SubmitFault } from './provider-faults';

const subjectLengthMax = 512;
/** 366 days: a leap year. */
const yearSeconds = 31_622_400;
const scopesMax = 32;
/** RFC 6749, section 3.3. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
const modelDelayMaxMs = 60_000;
const settleAfterMaxSeconds = 3_600;

export class NewToken {
  @Text({ min: 1, max: subjectLengthMax })
  readonly subject: string;

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
  @Optional()
  @Value(
    `a whole number from 0 to ${modelDelayMaxMs}, or null`,
    isDelay,
    nullable(integer({ min: 0, max: modelDelayMaxMs })),
  )
  readonly delayMs?: number | null;

  @Optional()
  @Flag()
  readonly fail?: boolean;
}

export class ProviderFaultChange {
  @Optional()
  @OneOf(submitFaults)
  readonly submit?: SubmitFault;

  @Optional()
  @Whole({ min: 0, max: settleAfterMaxSeconds })
  readonly settleAfterSeconds?: number;

  @Optional()
  @Flag()
  readonly down?: boolean;

  @Optional()
  @Flag()
  readonly sessionRejected?: boolean;

  @Optional()
  @Flag()
  readonly duplicateCallbacks?: boolean;

  @Optional()
  @Flag()
  readonly unpriced?: boolean;

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
export interface Faults {
  readonly provider: ProviderFault;
  readonly model: ModelFault;
}

/** Null, beyond the specification, is what `GET` answers while no delay was set; so it can be put back. */
function isDelay(value: unknown): boolean {
  return (
    value === null || (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= modelDelayMaxMs)
  );
}
