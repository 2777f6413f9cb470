import { accept, because, codePointLength, invalid, notFound, reject, unreachable } from '@app/kernel';
import type { Decider, Decision, Instant } from '@app/kernel';
import type { PartnerKeyEvent } from './partner-key.events';

export type PartnerKeyCommand = MintKey | RevokeKey;

export interface MintKey {
  readonly type: 'MintKey';
  readonly at: Instant;
  /** The key's name for operators. */
  readonly label: string;
  /** Lower-case hex SHA-256 of the key. */
  readonly keyHash: string;
  /** Whether it may read the feed of all users. */
  readonly feed: boolean;
  /** The operator's reason, 1 to 500 code points, or null. */
  readonly reason: string | null;
}

interface RevokeKey {
  readonly type: 'RevokeKey';
  readonly at: Instant;
  readonly reason: string | null;
}

export type PartnerKeyState =
  | { readonly status: 'absent' }
  | {
      readonly status: 'live' | 'revoked';
      readonly label: string;
      readonly keyHash: string;
      readonly feed: boolean;
      readonly mintedAt: Instant;
    };

const labelLengthMax = 100;
const reasonLengthMax = 500;
const sha256Hex = /^[0-9a-f]{64}$/;

/** The rules of one partner key: minted once, revoked for good (specification, "Authentication", rule 4). */
export const partnerKeyDecider: Decider<PartnerKeyState, PartnerKeyCommand, PartnerKeyEvent> = {
  initialState: { status: 'absent' },

  decide: (command, state) => {
    switch (command.type) {
      case 'MintKey':
        return mint(command, state);
      case 'RevokeKey':
        return revoke(command, state);
      default:
        return unreachable(command);
    }
  },

  evolve: (state, event) => {
    switch (event.type) {
      case 'partner_key.minted':
        return { status: 'live', label: event.label, keyHash: event.keyHash, feed: event.feed, mintedAt: event.at };
      case 'partner_key.feed_granted':
        return state.status === 'absent' ? state : { ...state, feed: true };
      case 'partner_key.revoked':
        return state.status === 'absent' ? state : { ...state, status: 'revoked' };
      default:
        return unreachable(event);
    }
  },
};

/** No-op for an existing key, even with another label; one without the feed gets it if asked for. A revoked key stays revoked. */
function mint({ at, label, keyHash, feed, reason }: MintKey, state: PartnerKeyState): Decision<PartnerKeyEvent> {
  const length = codePointLength(label);
  if (length < 1 || length > labelLengthMax) {
    return reject(invalid('/label', `must be a text of 1 to ${labelLengthMax} characters`));
  }
  if (!sha256Hex.test(keyHash)) return reject(invalid('/keyHash', 'must be a SHA-256 in lower-case hex'));
  if (!isReason(reason)) return reject(wrongReason);
  if (state.status === 'absent') return accept({ type: 'partner_key.minted', at, label, keyHash, reason, feed });
  if (state.keyHash !== keyHash) return reject(invalid('/keyHash', 'must be the hash that this key id was made from'));
  if (state.status === 'revoked') return reject(because('partner_key_invalid'));
  return feed && !state.feed ? accept({ type: 'partner_key.feed_granted', at, reason }) : accept();
}

function revoke({ at, reason }: RevokeKey, { status }: PartnerKeyState): Decision<PartnerKeyEvent> {
  if (!isReason(reason)) return reject(wrongReason);
  if (status === 'absent') return reject(notFound);
  return status === 'revoked' ? accept() : accept({ type: 'partner_key.revoked', at, reason });
}

const wrongReason = invalid('/reason', `must be a text of 1 to ${reasonLengthMax} characters`);

function isReason(reason: string | null): boolean {
  return reason === null || (reason !== '' && codePointLength(reason) <= reasonLengthMax);
}
