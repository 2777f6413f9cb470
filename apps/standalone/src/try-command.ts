import { access as accessible, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import type { SandboxAccess } from './demo';

// Long enough that most of it still follows when a slow machine has opened the stream.
const text =
  'repeat after me: every word of this sentence reaches you as it is spoken, and the journal keeps what was said, so that you ' +
  'may leave at any moment, come back with the number of the last event that you saw, and miss nothing; and then the run ends';

/**
 * Returns one line to paste into a shell, which opens a conversation, starts a run and follows its stream up to `run.ended`: with curl if
 * this machine has it, otherwise with Node, which it surely has. Quoted so that bash, zsh, fish and dash all accept it.
 */
export async function tryCommand(access: SandboxAccess): Promise<string> {
  return (await hasCurl()) ? withCurl(access) : withNode(access);
}

async function hasCurl(): Promise<boolean> {
  const folders = (process.env['PATH'] ?? '').split(delimiter);
  const found = await Promise.allSettled(folders.map((folder) => accessible(join(folder, 'curl'), constants.X_OK)));
  return found.some(({ status }) => status === 'fulfilled');
}

/** Ends curl by its pid: it would notice only at the next frame. The shell's message about that is discarded. */
function withCurl({ baseUrl, partnerKey, userToken, userId }: SandboxAccess): string {
  const run = JSON.stringify(JSON.stringify({ conversationId: '$C', input: { text } }));
  const steps = [
    `U=${baseUrl}/v1/users/${userId} K="X-Api-Key: ${partnerKey}" T="Authorization: Bearer ${userToken}"`,
    String.raw`C=$(curl -sS -X POST "$U/conversations" -H "$K" -H "$T" | sed "s/.*\"id\":\"\([0-9a-f-]*\)\".*/\1/")`,
    `curl -sS "$U/agent-runs" -H "$K" -H "$T" -H "Content-Type: application/json" -d ${run}`,
    'echo',
    '{ curl -sSN "$U/conversations/$C/stream" -H "$K" -H "$T" 2>&3 & echo $!; wait; } 3>&2 2>/dev/null | { read -r P',
    String.raw`E=; while IFS= read -r L; do printf "%s\n" "$L"`,
    'case "$L" in "event: run.ended") E=1;; "") [ -z "$E" ] || break;; esac',
    'done',
    'kill $P; }',
  ];
  return `sh -c '${steps.join('; ')}'`;
}

function withNode({ baseUrl, partnerKey, userToken, userId }: SandboxAccess): string {
  const headers = {
    'x-api-key': partnerKey,
    authorization: `Bearer ${userToken}`,
    'content-type': 'application/json',
  };
  const steps = [
    `const u="${baseUrl}/v1/users/${userId}", headers=${JSON.stringify(headers)}`,
    'const post=async (p, b) => (await fetch(u+p, {method: "POST", headers, body: JSON.stringify(b)})).json()',
    `(async () => { const {id} = await post("/conversations", {})`,
    `console.log(await post("/agent-runs", {conversationId: id, input: {text: ${JSON.stringify(text)}}}))`,
    'let seen = ""',
    'for await (const bytes of (await fetch(u+"/conversations/"+id+"/stream", {headers})).body) { process.stdout.write(bytes)',
    String.raw`seen = (seen + Buffer.from(bytes)).slice(-9999)`,
    String.raw`if (/\nevent: run.ended\n[^]*\n\n/.test(seen)) process.exit() } })()`,
  ];
  return `node -e '${steps.join('; ')}'`;
}
