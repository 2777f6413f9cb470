import {
  boolean,
  givenInstant,
  instant,
  integer,
  list,
  nullable,
  oneOf,
  optional,
  pageOfShape,
  refine,
  shape,
  text,
  uuid,
  withName,
  type Shaped,
} from '@app/schema';
import { noticeTypes, payloadKinds, type NoticeType, type PayloadKind } from '@app/notices';
import {
  attemptFailures,
  deliveryStates,
  descriptionLengthMax,
  disabledCauses,
  urlLengthMax,
  wrongInUrl,
  type DeliveryState,
} from '@app/webhooks';
import { Member, PageQuery } from '@app/http';
import type { Instant } from '@app/kernel';
import { ChangeReason } from '../changes/operators.schema';

const endpoint = {
  endpointId: uuid(),
  url: text(),
  types: nullable(list(text()), { description: 'The types that are sent; null: all, those of later versions as well' }),
  payload: oneOf(payloadKinds, { description: '`full`: `data.payload` is the event as its journal shows it' }),
  description: text({ description: 'What operators know it by' }),
};

const DisabledBecause = withName(
  'WebhookDisabledBecause',
  oneOf(disabledCauses, {
    description:
      'An operator disabled it, it answered 410 (`gone`), or nothing but failures came of it for five days (`failing`)',
  }),
);

export const WebhookEndpoint = shape('WebhookEndpoint', {
  ...endpoint,
  enabled: boolean(),
  disabledBecause: nullable(DisabledBecause),
  disabledAt: nullable(instant()),
  failingSince: nullable(instant(), {
    description: 'Since when every attempt has failed; null where the last one has not',
  }),
  pending: integer({ description: 'Deliveries that are still to be made; at most 10,000 are counted' }),
  oldestPendingAt: nullable(instant(), { description: 'Since when the first of them waits' }),
  createdAt: instant(),
  updatedAt: instant(),
  rotatedAt: instant({ description: 'When its newest secret was made' }),
});
export type WebhookEndpoint = Shaped<typeof WebhookEndpoint>;

export const WebhookEndpointPage = pageOfShape('WebhookEndpoint', WebhookEndpoint);
export type WebhookEndpointPage = Shaped<typeof WebhookEndpointPage>;

const secret = text({
  pattern: /^whsec_[A-Za-z0-9+/]{43}=$/,
  description: 'For the receiver’s library of Standard Webhooks; it cannot be shown again',
});

export const CreatedWebhookEndpoint = shape('CreatedWebhookEndpoint', { ...endpoint, secret, createdAt: instant() });
export type CreatedWebhookEndpoint = Shaped<typeof CreatedWebhookEndpoint>;

export const RotatedWebhookSecret = shape('RotatedWebhookSecret', {
  endpointId: uuid(),
  secret,
  rotatedAt: instant(),
  othersUntil: instant({ description: 'Until when the secret of before signs as well' }),
});
export type RotatedWebhookSecret = Shaped<typeof RotatedWebhookSecret>;

const AttemptFailure = withName('WebhookAttemptFailure', oneOf(attemptFailures));

const WebhookAttempt = shape('WebhookAttempt', {
  at: instant(),
  status: nullable(integer(), { description: 'What was answered; null where nothing was' }),
  failure: nullable(AttemptFailure, { description: 'Why it failed; null where it did not' }),
});

export const WebhookDelivery = shape('WebhookDelivery', {
  id: uuid(),
  noticeId: text({ description: 'The `webhook-id` of every attempt: the id of the event' }),
  type: text(),
  state: oneOf(deliveryStates),
  attempts: integer({ min: 0, description: 'Since it was asked for last' }),
  nextAttemptAt: nullable(instant(), {
    description: 'Null where it is over, and where an earlier one of its conversation comes first',
  }),
  lastAttempt: nullable(WebhookAttempt),
  createdAt: instant(),
  deliveredAt: nullable(instant()),
});
export type WebhookDelivery = Shaped<typeof WebhookDelivery>;

export const WebhookDeliveryPage = pageOfShape('WebhookDelivery', WebhookDelivery);
export type WebhookDeliveryPage = Shaped<typeof WebhookDeliveryPage>;

const at = '2026-11-21T09:15:00.000Z';
const shown = {
  endpointId: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e71',
  url: 'https://partner.example/parley',
  types: ['run.ended', 'approval.opened'],
  payload: 'thin' as const,
  description: 'Acme, production',
};
const exampleSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwxM0nRjzJ2Zk=';

export const webhooksExamples = {
  body: { url: shown.url, types: shown.types, payload: shown.payload, description: shown.description },
  created: { ...shown, secret: exampleSecret, createdAt: at } satisfies CreatedWebhookEndpoint,
  rotated: {
    endpointId: shown.endpointId,
    secret: exampleSecret,
    rotatedAt: at,
    othersUntil: '2026-11-22T09:15:00.000Z',
  } satisfies RotatedWebhookSecret,
  endpoint: {
    ...shown,
    enabled: true,
    disabledBecause: null,
    disabledAt: null,
    failingSince: null,
    pending: 0,
    oldestPendingAt: null,
    createdAt: at,
    updatedAt: at,
    rotatedAt: at,
  } satisfies WebhookEndpoint,
  delivery: {
    id: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e72',
    noticeId: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e73',
    type: 'run.ended',
    state: 'pending',
    attempts: 1,
    nextAttemptAt: '2026-11-21T09:15:05.000Z',
    lastAttempt: { at, status: 503, failure: 'status' },
    createdAt: at,
    deliveredAt: null,
  } satisfies WebhookDelivery,
};

/** Every type, including those of later versions. */
export const everyType = '*';
type AskedType = NoticeType | typeof everyType;

const url = refine(
  text({
    min: 1,
    max: urlLengthMax,
    description: 'Where the events are sent: an address without user and fragment; `https` only, but for a sandbox',
  }),
  // Checked before the change is logged, because a password would stay in the log.
  (given) => {
    const message = wrongInUrl(given);
    return message === null ? [] : [{ path: '', message }];
  },
);
const types = refine(
  list(oneOf<AskedType>([...noticeTypes, everyType]), {
    min: 1,
    max: noticeTypes.length,
    description: 'What is sent. Left out at the beginning, and `["*"]`: every type, those of later versions as well',
  }),
  (asked) => [
    ...(asked.length > 1 && asked.includes(everyType) ? [{ path: '', message: 'must name types, or be ["*"]' }] : []),
    ...(new Set(asked).size < asked.length ? [{ path: '', message: 'must name each type once' }] : []),
  ],
);
const payload = oneOf(payloadKinds, {
  description: '`thin` (when left out): ids to look up. `full`: `data.payload` is the event as its journal shows it',
});
const description = text({
  min: 1,
  max: descriptionLengthMax,
  visible: true,
  description: 'What operators know it by',
});

export class CreateWebhookDto extends ChangeReason {
  @Member(url)
  readonly url: string;

  @Member(optional(types))
  readonly types?: readonly AskedType[];

  @Member(optional(payload))
  readonly payload?: PayloadKind;

  @Member(description)
  readonly description: string;
}

export class ChangeWebhookDto extends ChangeReason {
  @Member(optional(url))
  readonly url?: string;

  @Member(optional(types))
  readonly types?: readonly AskedType[];

  @Member(optional(payload))
  readonly payload?: PayloadKind;

  @Member(optional(description))
  readonly description?: string;

  @Member(optional(boolean({ description: 'Whether events are sent to it' })))
  readonly enabled?: boolean;
}

export class RecoverWebhookDto extends ChangeReason {
  @Member(givenInstant({ description: 'At most 30 days ago; what is older is in the feed' }))
  readonly since: Instant;
}

export class ListDeliveriesDto extends PageQuery {
  @Member(optional(oneOf(deliveryStates, { description: 'Of these only', examples: ['given_up'] })))
  readonly state?: DeliveryState;
}
