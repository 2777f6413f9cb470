import { Member } from '@app/http';
import type { ModelFault } from '@app/rules-model';
import { boolean, exactly, integer, list, nullable, ofDto, oneOf, optional, shape, text, uuid } from '@app/schema';
import type { Shaped } from '@app/schema';
import { submitFaults, type ProviderFault, type SubmitFault } from './faults/provider-faults';

const subjectLengthMax = 512;
/** 366 days: a leap year. */
const yearSeconds = 31_622_400;
const scopesMax = 32;
/** RFC 6749, section 3.3. */
const scope = /^[\x21\x23-\x5b\x5d-\x7e]{1,64}$/;
const modelDelayMaxMs = 60_000;
const settleAfterMaxSeconds = 3_600;

/** Null, beyond the specification, is what `GET` returns while no delay is set, so that the value can be restored. */
const delayMs = nullable(
  integer({
    min: 0,
    max: modelDelayMaxMs,
    message: `must be a whole number from 0 to ${modelDelayMaxMs}, or null`,
  }),
  { description: 'How long a step of the rules model takes, spread evenly over its words; null: 40 ms a word' },
);
const modelFault = { delayMs, fail: boolean({ description: 'Every step of the rules model fails' }) };
const providerFault = {
  submit: oneOf(submitFaults, { description: 'What becomes of an order that is submitted while it is set' }),
  settleAfterSeconds: integer({
    min: 0,
    max: settleAfterMaxSeconds,
    description: "From an order's acceptance to its settlement, by the service clock",
  }),
  down: boolean({ description: 'The wallet provider answers nothing' }),
  sessionRejected: boolean({
    description:
      'Set to true, all sessions that exist at that moment are rejected; connecting makes one that is good again',
  }),
  duplicateCallbacks: boolean({ description: 'Each settlement is reported twice' }),
  unpriced: boolean({ description: 'No token has a price' }),
  undescribed: boolean({ description: 'No token has decimals' }),
};
const rejectedSession = uuid({
  description:
    "Rejects the session of this user's wallet alone, once; connecting makes one that is good again, and there is nothing to switch off",
});
const subject = { min: 1, max: subjectLengthMax };

export class NewToken {
  @Member(text({ ...subject, description: 'The same one is the same user, always' }))
  readonly subject: string;

  @Member(optional(integer({ min: 1, max: yearSeconds, description: '3600 when absent' })))
  readonly expiresInSeconds?: number;
}

export class NewOperatorToken {
  @Member(text(subject))
  readonly subject: string;

  @Member(list(text({ pattern: scope, message: 'must be a scope' }), { min: 0, max: scopesMax }))
  readonly scopes: readonly string[];
}

export class ClockMove {
  @Member(integer({ min: 1, max: yearSeconds }))
  readonly advanceSeconds: number;
}

export class ModelFaultChange {
  @Member(optional(modelFault.delayMs))
  readonly delayMs?: number | null;

  @Member(optional(modelFault.fail))
  readonly fail?: boolean;
}

export class ProviderFaultChange {
  @Member(optional(providerFault.submit))
  readonly submit?: SubmitFault;

  @Member(optional(providerFault.settleAfterSeconds))
  readonly settleAfterSeconds?: number;

  @Member(optional(providerFault.down))
  readonly down?: boolean;

  @Member(optional(providerFault.sessionRejected))
  readonly sessionRejected?: boolean;

  @Member(optional(rejectedSession))
  readonly rejectSessionOf?: string;

  @Member(optional(providerFault.duplicateCallbacks))
  readonly duplicateCallbacks?: boolean;

  @Member(optional(providerFault.unpriced))
  readonly unpriced?: boolean;

  @Member(optional(providerFault.undescribed))
  readonly undescribed?: boolean;
}

export class FaultChange {
  @Member(optional(ofDto(ProviderFaultChange)))
  readonly provider?: ProviderFaultChange;

  @Member(optional(ofDto(ModelFaultChange)))
  readonly model?: ModelFaultChange;
}

/** The answer about the sandbox's faults. */
export const Faults = shape('Faults', {
  provider: exactly<ProviderFault>()(shape('ProviderFaults', providerFault)),
  model: exactly<ModelFault>()(shape('ModelFaults', modelFault)),
});
export type Faults = Shaped<typeof Faults>;
