import { operation, PageQuery, type OperationGroup } from '@app/http';
import {
  FindKeyDto,
  keysExamples,
  KeyUse,
  MintedPartnerKey,
  MintKeyDto,
  PartnerKey,
  PartnerKeyPage,
  ShowKeyUseDto,
} from './keys.schema';
import { reasonedChange } from '../changes/operators.schema';

export const keysGroup: OperationGroup = { name: 'keys', description: 'The keys by which partner backends are known' };

const keyId = { description: 'A partner key, by its id', example: keysExamples.minted.keyId };

export const mintKey = operation('keys.mint', {
  route: 'POST /operator/v1/partner-keys',
  scope: 'keys',
  status: 201,
  summary: 'Mint a partner key',
  description:
    'The key is shown this once, and only its hash is stored. A key whose answer was lost is in the list: revoke it, and mint another. ' +
    'With `feed: true` it reads `/feed/v1` as well.',
  body: MintKeyDto,
  answer: MintedPartnerKey,
  examples: { body: { label: 'Acme', reason: 'a new partner' }, answer: keysExamples.minted },
});

export const listKeys = operation('keys.list', {
  route: 'GET /operator/v1/partner-keys',
  scope: 'keys',
  summary: 'List partner keys, oldest first',
  description: 'Revoked ones as well.',
  query: PageQuery,
  answer: PartnerKeyPage,
  examples: { answer: keysExamples.page },
});

export const findKey = operation('keys.find', {
  route: 'GET /operator/v1/partner-keys/find',
  scope: 'keys',
  summary: 'Find a partner key by the key that one holds',
  description: 'A revoked one as well; 404 where no partner key has this hash.',
  query: FindKeyDto,
  answer: PartnerKey,
  examples: { answer: keysExamples.key },
});

export const showKeyUse = operation('keys.used', {
  route: 'GET /operator/v1/partner-keys/:keyId/used',
  scope: 'keys',
  summary: 'What a partner key did, newest first',
  description:
    'When it was last used, for which users, and what its calls led to, as the events say that they caused: of the newest 10,000 events of the store, and of those before with `cursor`. ' +
    'Calls that only read, open a stream or are refused leave no event: they are in the request logs, by `keyId`. What a run or an automation does later by itself is not counted. The look is logged.',
  parameters: { keyId },
  query: ShowKeyUseDto,
  answer: KeyUse,
  examples: { answer: keysExamples.use },
});

export const revokeKey = operation('keys.revoke', {
  route: 'POST /operator/v1/partner-keys/:keyId/revoke',
  scope: 'keys',
  summary: 'Revoke a partner key for good',
  description:
    'The process that is asked refuses requests with it at once, the others within 30 s, and streams that it opened end. Idempotent.',
  parameters: { keyId },
  ...reasonedChange('keys.revoke', keyId.example, 'it leaked'),
});
