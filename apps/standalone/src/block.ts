import type { SandboxAccess } from './demo';

const text = 'repeat after me: every word of this sentence reaches you as it is spoken, and then the run ends';

/**
 * One line for any POSIX shell (and, quoted as it is, for bash, zsh and fish) with curl: opens a conversation, starts a run and
 * follows its stream up to `run.ended`. curl is ended by its pid, since it would notice only with
 * the next frame that nobody reads; the shell's own report of that end goes to nobody.
 */
export function tryCommand({ baseUrl, partnerKey, userToken, userId }: SandboxAccess): string {
  const body = JSON.stringify(JSON.stringify({ conversationId: '$C', input: { text } }));
  const script = [
    `U=${baseUrl}/v1/users/${userId} K="X-Api-Key: ${partnerKey}" T="Authorization: Bearer ${userToken}"`,
    String.raw`C=$(curl -sS -X POST "$U/conversations" -H "$K" -H "$T" | sed "s/.*\"id\":\"\([0-9a-f-]*\)\".*/\1/")`,
    `curl -sS "$U/agent-runs" -H "$K" -H "$T" -H "Content-Type: application/json" -d ${body}`,
    'echo',
    '{ curl -sSN "$U/conversations/$C/stream" -H "$K" -H "$T" 2>&3 & echo $!; wait; } 3>&2 2>/dev/null | ' +
      '{ read -r P; E=; while IFS= read -r L; do printf "%s\\n" "$L"; case "$L" in "event: run.ended") E=1;; "") [ -z "$E" ] || break;; esac; done; ' +
      'kill $P; }',
  ];
  return `sh -c '${script.join('; ')}'`;
}

/** The one block that `npm start` prints when the service is ready. */
export function readyBlock(access: SandboxAccess, dataDir: string, startedInMs: number): string {
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
    tryCommand(access),
    '',
  ].join('\n');
}
