import type { UserId } from '@app/kernel';

/** Holds the wallets' Ed25519 keys; no private key ever leaves it. */
export abstract class Signer {
  /** The wallet's public key, created on first use and constant: 64 lower-case hex characters. @throws Unavailable */
  abstract publicKey(userId: UserId): Promise<string>;

  /** The Ed25519 signature over the bytes. @throws Unavailable */
  abstract sign(userId: UserId, bytes: Uint8Array): Promise<Uint8Array>;
}
