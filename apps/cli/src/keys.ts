import { QueryBus } from '@nestjs/cqrs';
import type { PartnerKeyId } from '@app/kernel';
import { ListPartnerKeys, MintPartnerKey, RevokePartnerKey, type ListedPartnerKey } from '@app/partners';
import type { Command } from 'commander';
import { idArgument, reasonArgument } from './arguments';
import { execute, onDeployment, operatorCause } from './deployment';
import { unwrap, print, table } from './outcome';

/** Keys that are read at a time. */
const pageKeys = 500;

/** `parley keys`: the keys by which partner backends are known. */
export function keyCommands(program: Command): void {
  const keys = program.command('keys').description('partner keys');
  addMint(keys);
  addList(keys);
  addRevoke(keys);
}

function addMint(keys: Command): void {
  keys
    .command('mint')
    .description('mint a partner key; it is shown this once')
    .requiredOption('--label <text>', 'what operators know it by, 1 to 100 characters')
    .option('--reason <text>', 'why', reasonArgument)
    .action(async ({ label, reason }: { label: string; reason?: string }, command: Command) => {
      const request = { label, cause: operatorCause(), ...(reason !== undefined && { reason }) };
      const minted = await execute(new MintPartnerKey(request));
      const { keyId, key, createdAt } = unwrap(minted, 'key');
      const lines = [
        `key    ${key}`,
        `key id ${keyId}`,
        'Keep the key: it is shown this once, and only its hash is stored.',
      ];
      print(command, { keyId, key, label, createdAt }, lines);
    });
}

function addList(keys: Command): void {
  keys
    .command('list')
    .description('list all partner keys, revoked ones as well')
    .action(async (_options: object, command: Command) => {
      const listed = await onDeployment((product) => allKeys(product.get(QueryBus, { strict: false })));
      const rows = listed.map(({ keyId, label, createdAt, revokedAt }) => [keyId, createdAt, revokedAt ?? '-', label]);
      print(command, { data: listed }, table(['KEY ID', 'CREATED', 'REVOKED', 'LABEL'], rows));
    });
}

async function allKeys(queries: QueryBus): Promise<readonly ListedPartnerKey[]> {
  const keys: ListedPartnerKey[] = [];
  for (;;) {
    const page = await queries.execute(new ListPartnerKeys(keys.at(-1)?.keyId ?? null, pageKeys));
    keys.push(...page);
    if (page.length < pageKeys) return keys;
  }
}

function addRevoke(keys: Command): void {
  keys
    .command('revoke')
    .description('revoke a partner key for good; requests with it are refused within 30 s')
    .argument('<keyId>', 'its id', idArgument<PartnerKeyId>)
    .option('--reason <text>', 'why', reasonArgument)
    .action(async (keyId: PartnerKeyId, { reason }: { reason?: string }, command: Command) => {
      const request = { keyId, cause: operatorCause(), ...(reason !== undefined && { reason }) };
      const revoked = await execute(new RevokePartnerKey(request));
      unwrap(revoked, `key ${keyId}`);
      print(command, { keyId, revoked: true }, [`${keyId} is revoked.`]);
    });
}
