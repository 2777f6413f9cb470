import { Member, PageQuery } from '@app/http';
import type { Instant } from '@app/kernel';
import { noticeTypes, payloadKinds, type NoticeType, type PayloadKind } from '@app/notices';
import { boolean, givenInstant, list, oneOf, optional, refine, text } from '@app/schema';
import { deliveryStates, descriptionLengthMax, urlLengthMax, wrongInUrl, type DeliveryState } from '@app/webhooks';
import { ChangeReason } from '../changes/operators.schema';

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
