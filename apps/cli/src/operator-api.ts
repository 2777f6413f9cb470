import { readDotEnv } from '@app/composition';
import { readJson } from '@app/data-folder';
import { isJsonObject, type JsonValue } from '@app/kernel';
import { fetchWithoutRedirects, readConfiguration } from '@app/runtime';
import { join } from 'node:path';
import { openLocalApi } from './local-api';
import { taken, type Answered, type OperatorApi } from './operator-call';
import { CommandFailed, NoAnswer } from './outcome';
import { visible } from './output';
import { noAnswerOf, refuseClearText } from './service-fetch';

const answerWithinMs = 60_000;

/**
 * Opens the operator API in the first of these ways that is possible: of the service at PARLEY_URL, with PARLEY_OPERATOR_TOKEN; of the
 * `npm start` that runs on the data folder; in this process, over the stores that the environment names, with the secret key.
 * @throws CommandFailed where only one of PARLEY_URL and PARLEY_OPERATOR_TOKEN is set: a command never reaches another deployment
 */
export async function openOperatorApi(): Promise<OperatorApi> {
  readDotEnv();
  const configuration = readConfiguration(process.env);
  const { PARLEY_OPERATOR_TOKEN: token, PARLEY_URL: url, DATABASE_URL, PARLEY_DATA_DIR } = configuration.env;
  if (url !== undefined && token !== undefined) return overHttp(url, token);
  if (url !== undefined)
    throw new CommandFailed(
      `PARLEY_URL names ${url}, and PARLEY_OPERATOR_TOKEN is not set: set it too, or unset PARLEY_URL to reach the deployment here`,
    );
  if (token !== undefined)
    throw new CommandFailed(
      'PARLEY_OPERATOR_TOKEN is set, and PARLEY_URL is not: set it too, or unset PARLEY_OPERATOR_TOKEN to reach the deployment here',
    );
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
  refuseClearText(baseUrl, 'PARLEY_URL');
  return {
    origin: new URL(baseUrl).origin,
    call: async (call) => {
      const { method, path, body, take } = call;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      // How long a stream takes is up to who takes it.
      const within = take === undefined ? { signal: AbortSignal.timeout(answerWithinMs) } : {};
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      try {
        const answer = await fetchWithoutRedirects(new URL(path, baseUrl), { method, headers, ...within, ...sent });
        return { status: answer.status, body: await taken(call, answer.status, answer.body) };
      } catch (error) {
        throw new NoAnswer(noAnswerOf(baseUrl, error));
      }
    },
    close: async () => undefined,
  };
}

/** What was answered. @param scope that the call asks for @throws CommandFailed with the problem in words */
export function succeeded({ status, body }: Answered, scope?: string): JsonValue {
  if (status < 300) return body;
  const { title, reason, issues } = isJsonObject(body) ? body : {};
  const told = Array.isArray(issues)
    ? issues.filter(isJsonObject).map(({ path, message }) => `${text(path).slice(1)}: ${text(message)}`)
    : [];
  if (told.length > 0) throw new CommandFailed(told.join('; '));
  const needed = reason === 'permission_required' && scope !== undefined ? `: the token needs the scope ${scope}` : '';
  throw new CommandFailed(`refused (${text(reason) || `${status}`}): ${text(title)}${needed}`);
}

/** On one line, whatever the service says. */
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? visible(value) : '');
