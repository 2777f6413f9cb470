import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { INestApplicationContext } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { renewPartnerKey, writePrivate } from '@app/data-folder';
import { operatorScopes } from '@app/http';
import { causeOfService, isJsonObject } from '@app/kernel';
import { MintPartnerKey } from '@app/partners';
import { ReadGate } from '@app/read-store';
import type { Configuration } from '@app/settings';
import { Issuer } from '@app/sandbox';
import { IdentityKey } from '@app/users';
import { v7 as uuidV7 } from 'uuid';

/** The subject of the demo user, and the beginning of that of each one that follows a closed account. */
const userSubject = 'demo-user';
const operatorSubject = 'demo-operator';
/** The tokens that `npm start` prints are valid for ten years. */
const tokenLifeSeconds = 10 * 366 * 86_400;
/** How long the service may take, once it listens, to serve its first caller, while the read models catch up. */
const readyWithinMs = 30_000;
const askAgainMs = 25;

interface DemoUser {
  /** Null where no user can sign in. */
  readonly userId: string | null;
  readonly userToken: string;
}

/** Credentials and addresses to call the service with; `sandbox.json` holds the same. */
export interface SandboxAccess {
  readonly baseUrl: string;
  readonly partnerKey: string;
  readonly userToken: string;
  /** Null where no user can sign in. */
  readonly userId: string | null;
  readonly operatorToken: string;
}

/** Registers the sandbox's partner key, and provisions a demo user with a wallet, the way a partner's backend would. */
export async function seedSandbox(
  app: INestApplicationContext,
  configuration: Configuration,
  kept: string,
): Promise<SandboxAccess> {
  await projecting(app.get(ReadGate, { strict: false }));
  const partnerKey = await usableKey(app.get(CommandBus, { strict: false }), configuration.env.PARLEY_DATA_DIR, kept);
  const issuer = app.get(Issuer, { strict: false });
  const { accessToken: operatorToken } = await issuer.operatorToken(operatorSubject, operatorScopes, tokenLifeSeconds);
  const { baseUrl } = configuration;
  const isLeftOut = await app.get(IdentityKey, { strict: false }).isLeftOut();
  const { userId, userToken } = isLeftOut
    ? { userId: null, userToken: await demoToken(issuer, userSubject) }
    : await demoUser(issuer, baseUrl, partnerKey);
  if (userId !== null) await ensureWallet(`${baseUrl}/v1/users/${userId}/wallet`, partnerKey, userToken);
  return { baseUrl, partnerKey, userToken, userId, operatorToken };
}

/** Mints the sandbox's partner key, or a new one if an operator revoked it, which the data folder keeps from then on. */
async function usableKey(commands: CommandBus, dataDir: string, kept: string): Promise<string> {
  const minted = await mint(commands, kept);
  if (minted.ok) return kept;
  if (minted.refusal.kind === 'reason' && minted.refusal.reason === 'partner_key_invalid') {
    console.log("The sandbox's partner key was revoked: this start makes a new one.");
    const renewed = await renewPartnerKey(dataDir);
    if ((await mint(commands, renewed)).ok) return renewed;
  }
  throw new Error(`the sandbox's partner key was refused: ${JSON.stringify(minted.refusal)}`);
}

function mint(commands: CommandBus, key: string) {
  const cause = causeOfService('npm start', uuidV7());
  // Grants the feed to a key that an earlier version minted without it.
  return commands.execute(new MintPartnerKey({ label: 'sandbox', key, feed: true, cause }));
}

/** Waits until the read models follow: from then on, the next read sees what was written. */
async function projecting(gate: ReadGate): Promise<void> {
  const deadline = performance.now() + readyWithinMs;
  while (!gate.projecting && performance.now() < deadline) await sleep(askAgainMs);
}

/** Returns the demo user, or the next one while that one's account is closed: an erased identity never gets an account again. */
async function demoUser(issuer: Issuer, baseUrl: string, partnerKey: string): Promise<DemoUser> {
  for (let number = 1; ; number += 1) {
    const subject = number === 1 ? userSubject : `${userSubject}-${number}`;
    const userToken = await demoToken(issuer, subject);
    const userId = await ensureUser(baseUrl, partnerKey, userToken);
    if (userId !== 'closed') return { userId, userToken };
    console.log(`The account of ${subject} is disabled or erased: this start takes ${userSubject}-${number + 1}.`);
  }
}

async function demoToken(issuer: Issuer, subject: string): Promise<string> {
  const { accessToken } = await issuer.userToken(subject, tokenLifeSeconds);
  return accessToken;
}

/** Calls `users.ensure` over HTTP: once it succeeds, keys, tokens and both stores work. Returns the user's id, or `closed`. */
async function ensureUser(baseUrl: string, partnerKey: string, userToken: string): Promise<string> {
  const deadline = performance.now() + readyWithinMs;
  for (;;) {
    const response = await fetch(`${baseUrl}/v1/users`, {
      method: 'POST',
      headers: { 'x-api-key': partnerKey, authorization: `Bearer ${userToken}` },
    });
    const answer: unknown = await response.json();
    if (response.ok && isJsonObject(answer) && typeof answer['userId'] === 'string') return answer['userId'];
    if (isJsonObject(answer) && answer['reason'] === 'account_disabled') return 'closed';
    if (performance.now() > deadline) throw new Error(`the demo user was not provisioned: ${JSON.stringify(answer)}`);
    await sleep(askAgainMs);
  }
}

/** Calls `wallets.ensure`; agents create no wallet. An unreachable (also simulated) provider does not matter. */
async function ensureWallet(url: string, partnerKey: string, userToken: string): Promise<void> {
  const headers = { 'x-api-key': partnerKey, authorization: `Bearer ${userToken}` };
  const response = await fetch(url, { method: 'POST', headers });
  await response.body?.cancel();
}

const accessFile = 'sandbox.json';

/** Writes the access to `sandbox.json` (0600) in the data folder, as a sign that the service is ready. */
export async function writeAccess(dataDir: string, access: SandboxAccess): Promise<void> {
  await writePrivate(dataDir, accessFile, access);
}

/** Removes `sandbox.json`, if it is there. */
export async function removeAccess(dataDir: string): Promise<void> {
  await rm(join(dataDir, accessFile), { force: true });
}
