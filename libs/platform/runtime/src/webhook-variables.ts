import { bool } from 'envalid';

/** Where deliveries of webhooks may go (docs/decisions/telling-partners.md, "Deliveries"). */
export const webhookVariables = {
  WEBHOOK_ALLOW_PRIVATE: bool({
    default: undefined,
    desc: 'Lets webhooks be delivered to addresses that are not of the public internet; unset: in sandbox mode only',
  }),
};
