import type { SandboxAccess } from './demo';
import { tryCommand } from './try-command';

/** The text that `npm start` prints when the service is ready. */
export async function readyBlock(access: SandboxAccess, dataDir: string, startedInMs: number): Promise<string> {
  const seconds = (startedInMs / 1000).toFixed(1);
  return [
    '',
    `Parley is ready, in sandbox mode (${seconds} s).`,
    '',
    `  Base URL        ${access.baseUrl}`,
    `  Partner key     ${access.partnerKey}`,
    `  User token      ${access.userToken}`,
    `  Operator token  ${access.operatorToken}`,
    '',
    `The same values are in ${dataDir}/sandbox.json. Ctrl-C stops everything; the data stay in ${dataDir}.`,
    'To start a run and follow its stream, paste this into another terminal:',
    '',
    await tryCommand(access),
    '',
  ].join('\n');
}
