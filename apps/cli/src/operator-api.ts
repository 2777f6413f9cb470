import { readDotEnv } from '@app/composition';
import { readJson } from '@app/data-folder';
import { isJsonObject, type JsonValue } from '@app/kernel';
import { readConfiguration } from '@app/runtime';
import { join } from 'node:path';
import { openLocalApi } from './local-api';
import { taken, type Answered, type OperatorApi } from './operator-call';
import { CommandFailed, NoAnswer, reasonIn } from './outcome';

const answerWithinMs = 60_000;
const loopback = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Opens the operator API in the first of these ways that is possible: of the service at PARLEY_URL, with PARLEY_OPERATOR_TOKEN; of the
 * `npm start` that runs on the data folder; in this process, over the stores that the environment names, with the secret key.
 */
export async function openOperatorApi(): Promise<OperatorApi> {
  readDotEnv();
  const configuration = readConfiguration(process.env);
  const { PARLEY_OPERATOR_TOKEN: token, PARLEY_URL: url, DATABASE_URL, PARLEY_DATA_DIR } = configuration.env;
  if (token !== undefined) return overHttp(url ?? configuration.publicUrl, token);
  const running = DATABASE_URL === undefined ? await sandboxOf(PARLEY_DATA_DIR) : null;
  if (running !== null) return overHttp(running.baseUrl, running.operatorToken);
  return openLocalApi(configuration);
}

async function sandboxOf(
  dataDir: string,
): Promise<{ readonly baseUrl: string; readonly operatorToken: string } | null> {
  const value = await readJson(join(dataDir, 'sandbox.json'));
  const { baseUrl, operatorToken } = isJsonObject(value) ? value : {};
  return typeof baseUrl === 'string' && typeof operatorToken === 'string' ? { baseUrl, operatorToken } : null;
}

/** @throws CommandFailed for an address to which the token would travel in clear text */
function overHttp(baseUrl: string, token: string): OperatorApi {
  const { protocol, hostname } = new URL(baseUrl);
  if (protocol === 'http:' && !loopback.has(hostname))
    throw new CommandFailed(`PARLEY_URL must begin with https:// unless it is on this machine: ${baseUrl}`);
  return {
    call: async (call) => {
      const { method, path, body, take } = call;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      // How long a stream takes is up to who takes it.
      const within = take === undefined ? { signal: AbortSignal.timeout(answerWithinMs) } : {};
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      try {
        const answer = await fetch(new URL(path, baseUrl), { method, headers, ...within, ...sent });
        return { status: answer.status, body: await taken(call, answer.status, answer.body) };
      } catch (error) {
        throw new NoAnswer(`${baseUrl} does not answer (${reasonIn(error)}): is the service started?`);
      }
    },
    close: async () => undefined,
  };
}

/** What was answered. @throws CommandFailed with the problem in words */
export function succeeded({ status, body }: Answered): JsonValue {
  if (status < 300) return body;
  const { title, reason, issues } = isJsonObject(body) ? body : {};
  const told = Array.isArray(issues)
    ? issues.filter(isJsonObject).map(({ path, message }) => `${text(path).slice(1)}: ${text(message)}`)
    : [];
  if (told.length > 0) throw new CommandFailed(told.join('; '));
  throw new CommandFailed(`refused (${text(reason) || `${status}`}): ${text(title)}`);
}

const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? value : '');
