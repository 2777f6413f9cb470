import { erasureStatuses } from '@app/privacy';
import { instant, integer, json, list, mapOf, nullable, oneOf, shape, text, uuid, type Shaped } from '@app/schema';
import { erasureText, parseErasure, type ErasureStatement } from '@app/transparency';

const count = (description: string) => integer({ min: 0, description });

const DestroyedKeys = shape('DestroyedKeys', {
  user: count("The user's own key"),
  conversations: count('Keys of conversations'),
  identities: count('Keys that say which user an identity is'),
});

const WordsLeft = shape('WordsLeft', {
  events: count('Events with words in clear'),
  streams: list(text(), { max: 100, description: 'The first streams with such events' }),
  streamsInAll: count('How many streams have some'),
});

export const Erasure = shape('Erasure', {
  userId: uuid(),
  status: oneOf(erasureStatuses, {
    description:
      '`ending`: the account is closed, and money in flight is settled, for a day at most; `purging`: the keys are destroyed, and the rest is removed; `proving`: closed events are counted; `incomplete`: an earlier version wrote words in clear, which `wordsLeft` says; `completed`: there is a certificate',
  }),
  requestedAt: instant(),
  operationsInFlight: count('Financial operations that are not over now'),
  keys: nullable(DestroyedKeys, { description: 'The keys that are destroyed; null before that' }),
  keysDestroyedAt: nullable(instant()),
  purged: nullable(mapOf(integer({ min: 0 })), { description: 'How many rows and files were removed, by kind' }),
  purgedAt: nullable(instant()),
  closedEvents: nullable(integer({ min: 0 }), { description: 'Events whose words nobody can open any more' }),
  wordsLeft: nullable(WordsLeft, { description: 'Null unless `incomplete`' }),
  completedAt: nullable(instant()),
});
export type Erasure = Shaped<typeof Erasure>;

export const ErasureCertificate = shape('ErasureCertificate', {
  statement: mapOf(json(), { description: 'What the note says, for readers; a verifier reads the note' }),
  note: text({ description: 'A C2SP signed note of the log; `verifyErasure` of `@parley/verify` verifies it' }),
});
export type ErasureCertificate = Shaped<typeof ErasureCertificate>;

const userId = '5d1f3a52-6a5e-4b0c-9a5e-0f3c2b7d9e11';
const [requestedAt, destroyedAt, purgedAt, completedAt] = [
  '2026-11-21T09:15:00.000Z',
  '2026-11-21T09:15:00.412Z',
  '2026-11-21T09:15:01.020Z',
  '2026-11-21T09:15:02.377Z',
];
const keys = { user: 1, conversations: 12, identities: 1 };
const purged = { snapshots: 1, artifacts: 2, artifactsKept: 0, deliveries: 31, samples: 0, timers: 0, checks: 1 };
const hash = 'jWjrphp2r5zHTRCFHqbLcQXW4YP43TFgDQ9hLxBeX+4=';
const hex = '8d68eba61a76af9cc74d10851ea6cb7105d6e183f8dd31600d0f612f105e5fee';

function entry(revision: number, type: string): ErasureStatement['events'][number] {
  const stored = { stream: `erasure-${userId}`, id: '019a3c5e-7d1c-7f00-8a4b-3f6b1c2d4e5f' };
  return {
    entry: { ...stored, revision, type, dataSha256: hex, metadataSha256: hex },
    index: 9 + revision,
    path: [hash],
  };
}

const log = 'parley/0c2d6c1e-4a5b-4e8f-9d3a-1f2e3d4c5b6a';
const checkpoint = (size: number) => `${log}\n${size}\n${hash}\n\n\u2014 ${log} jWjrphp2r5zH\n`;
const statement: ErasureStatement = {
  log,
  userId,
  requestedAt,
  keysDestroyedAt: destroyedAt,
  purgedAt,
  certifiedAt: completedAt,
  keys,
  operationsInFlight: 0,
  purged,
  keyTable: 'rewritten',
  closedEvents: 214,
  before: checkpoint(8),
  after: checkpoint(14),
  consistency: [hash],
  events: [entry(0, 'erasure.requested'), entry(1, 'erasure.keys_destroyed'), entry(2, 'erasure.purged')],
};

export const erasureExamples = {
  progress: {
    userId,
    status: 'completed',
    requestedAt,
    operationsInFlight: 0,
    keys,
    keysDestroyedAt: destroyedAt,
    purged,
    purgedAt,
    closedEvents: 214,
    wordsLeft: null,
    completedAt,
  } satisfies Erasure,
  certificate: certificateOf(`${erasureText(statement)}\n\u2014 ${log} jWjrphp2r5zH\n`),
};

/** The certificate as it is answered. @throws TypeError for a note that is none */
export function certificateOf(note: string): ErasureCertificate {
  const stated = parseErasure(note);
  if (stated === null) throw new TypeError('a certificate is a signed note');
  // Reason for the assertion: it was parsed from JSON.
  return { statement: { ...stated } as unknown as ErasureCertificate['statement'], note };
}
