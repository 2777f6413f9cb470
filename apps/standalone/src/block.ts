import type { SandboxAccess } from './demo';
import { tryCommand } from './try-command';

/** The text that `npm start` prints when the service is ready. */
export async function readyBlock(access: SandboxAccess, dataDir: string, startedInMs: number): Promise<string> {
  const seconds = (startedInMs / 1000).toFixed(1);
  const isOpen = access.userId !== null;
  return [
    '',
    `Parley is ready, in sandbox mode (${seconds} s).`,
    '',
    `  Base URL        ${access.baseUrl}`,
    `  Partner key     ${access.partnerKey}`,
    ...(isOpen ? [`  User token      ${access.userToken}`] : []),
    `  Operator token  ${access.operatorToken}`,
    '',
    `The same values are in ${dataDir}/sandbox.json. Ctrl-C stops everything; the data stay in ${dataDir}.`,
    ...(isOpen
      ? ['To start a run and follow its stream, paste this into another terminal:', '', await tryCommand(access)]
      : ['The keys were left out of the restore of these data: no user can sign in, and words of persons are erased.']),
    '',
  ].join('\n');
}
