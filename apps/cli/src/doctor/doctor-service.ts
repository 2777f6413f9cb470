import { isJsonObject } from '@app/kernel';
import { bodyWithin, fetchWithoutRedirects } from '@app/runtime';
import { codeOf, findingsOf, type Finding } from './doctor-finding';

const { ok, warning, bad } = findingsOf('service');
const answersWithinMs = 5_000;
/** Far more than a report of `/readyz`. */
const answerBytesMax = 1024 * 1024;

/**
 * Reports the process on the management port of this machine, or that another program uses that port.
 * @param mayRun whether the service that doctor examines may run: if not, a Parley that answers is another one
 */
export async function serviceFinding(host: string, port: number, mayRun: boolean): Promise<Finding> {
  const address = `${reachable(host)}:${port}`;
  const asked = await readyzAt(address);
  if (asked === 'nobody') return warning(`nothing answers on the management port ${address}`);
  if (asked === 'silent')
    return bad(`what listens on ${address} says nothing for ${answersWithinMs / 1000} s: does it hang?`);
  const report = asked === 'nonsense' ? null : reportIn(asked.says);
  if (asked === 'nonsense' || report === null)
    return bad(`another program has the management port ${address}: set MANAGEMENT_PORT to a free one`);
  if (!mayRun)
    return warning(
      `does not run here: another Parley answers on the management port ${address}; set MANAGEMENT_PORT to a free one`,
    );
  if (asked.status !== 200) return bad(`not ready: ${report.troubles}`);
  return report.status === 'ok'
    ? ok(`ready, on the management port ${address}`)
    : warning(`${report.status}: ${report.troubles}`);
}

async function readyzAt(
  address: string,
): Promise<{ readonly status: number; readonly says: string } | 'nobody' | 'silent' | 'nonsense'> {
  try {
    const signal = AbortSignal.timeout(answersWithinMs);
    const answer = await fetchWithoutRedirects(`http://${address}/readyz`, { signal });
    return { status: answer.status, says: (await bodyWithin(answer, answerBytesMax)).toString() };
  } catch (error) {
    if (isJsonObject(error) && error['name'] === 'TimeoutError') return 'silent';
    return isNobody(error) ? 'nobody' : 'nonsense';
  }
}

/** A port that listens on all addresses is reached on this machine's own. */
function reachable(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}

/** Whether no program listens there, or none answers. Any other failure comes from a program that does not speak HTTP. */
function isNobody(error: unknown): boolean {
  const cause = isJsonObject(error) ? error['cause'] : undefined;
  return ['ECONNREFUSED', 'EADDRNOTAVAIL', 'ENOTFOUND', 'EHOSTUNREACH'].includes(codeOf(cause) ?? '');
}

/** Parses the answer of `/readyz`: its status, and each check that is not ok in words; null for any other text. */
function reportIn(text: string): { readonly status: string; readonly troubles: string } | null {
  try {
    const body: unknown = JSON.parse(text);
    if (!isJsonObject(body) || !isJsonObject(body['checks']) || typeof body['status'] !== 'string') return null;
    const { status, checks, reason } = body;
    const troubles = Object.entries(checks)
      .filter(([, state]) => state !== 'ok')
      .map(([name, state]) => `${name} ${typeof state === 'string' ? state : 'is not ok'}`);
    const why = typeof reason === 'string' ? [reason] : [];
    return { status, troubles: [...troubles, ...why].join(', ') || 'it does not say why' };
  } catch {
    return null; // it is not JSON
  }
}
