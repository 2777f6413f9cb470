import { readDotEnv } from '@app/composition';
import { readJson } from '@app/data-folder';
import { isJsonObject, type JsonObject, type JsonValue } from '@app/kernel';
import { fetchWithoutRedirects } from '@app/runtime';
import { readConfiguration } from '@app/settings';
import { join } from 'node:path';
import { openLocalApi } from './local-api';
import { taken, type Answered, type OperatorApi } from './operator-call';
import { CommandFailed, NoAnswer, WrongUsage } from '../terminal/outcome';
import { visible } from '../terminal/output';
import { below, noAnswerOf, refuseClearText } from '../service/service-fetch';

/** A call ends within this time, and a stream once it has been silent for so long. */
const usualAnswerMs = 60_000;

/**
 * Opens the operator API in the first possible way of these: of the service at PARLEY_URL, with PARLEY_OPERATOR_TOKEN; in this process, over
 * the stores that the environment names, with the secret key; of the `npm start` that runs on the data folder.
 * @throws CommandFailed when only one of PARLEY_URL and PARLEY_OPERATOR_TOKEN is set, because a command must never reach another deployment
 */
export async function openOperatorApi(): Promise<OperatorApi> {
  readDotEnv();
  const configuration = readConfiguration(process.env);
  const { PARLEY_OPERATOR_TOKEN: token, PARLEY_URL: url, PARLEY_DATA_DIR } = configuration.env;
  if (url !== undefined && token !== undefined) return overHttp(url, token);
  if (url !== undefined)
    throw new WrongUsage(
      `PARLEY_URL names ${url}, and PARLEY_OPERATOR_TOKEN is not set: set it too, or unset PARLEY_URL to reach the deployment here`,
    );
  if (token !== undefined)
    throw new WrongUsage(
      'PARLEY_OPERATOR_TOKEN is set, and PARLEY_URL is not: set it too, or unset PARLEY_OPERATOR_TOKEN to reach the deployment here',
    );
  const isNamed = [configuration.env.DATABASE_URL, configuration.env.EVENTSTORE_URL].some((one) => one !== undefined);
  const running = isNamed ? null : await sandboxOf(PARLEY_DATA_DIR);
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

/**
 * The operator API of a service elsewhere. However that service behaves, a call without `take` ends within the limit, and one with it ends
 * once no bytes arrived for so long; errors of `take` are rethrown unchanged.
 * @throws CommandFailed for an address to which the token would be sent in clear text
 */
export function overHttp(baseUrl: string, token: string, answerWithinMs = usualAnswerMs): OperatorApi {
  refuseClearText(baseUrl, 'PARLEY_URL');
  return {
    origin: new URL(baseUrl).origin,
    call: async (call) => {
      const { method, path, body, take } = call;
      const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
      const sent = body === undefined ? {} : { body: JSON.stringify(body) };
      const silence = new Silence(answerWithinMs);
      const own: { failure?: unknown } = {};
      const taking = take && {
        ...call,
        take: (chunk: Uint8Array) =>
          silence
            .besides(() => take(chunk))
            .catch((failure: unknown) => {
              own.failure = failure;
              throw failure;
            }),
      };
      try {
        const { signal } = silence;
        const answer = await fetchWithoutRedirects(below(baseUrl, path), { method, headers, signal, ...sent });
        return { status: answer.status, body: await taken(taking ?? call, answer.status, answer.body) };
      } catch (error) {
        // A full disk here is no trouble of the service.
        throw 'failure' in own ? own.failure : new NoAnswer(noAnswerOf(baseUrl, error));
      } finally {
        silence.end();
      }
    },
    close: async () => undefined,
  };
}

/** Aborts its signal when no bytes arrived within the limit. */
class Silence {
  private readonly controller = new AbortController();
  private timer: NodeJS.Timeout;

  constructor(private readonly limitMs: number) {
    this.timer = this.listen();
  }

  get signal(): AbortSignal {
    return this.controller.signal;
  }

  /** Runs the handling of a chunk. Its time does not count as silence, which is measured anew afterwards. */
  async besides(body: () => Promise<void>): Promise<void> {
    clearTimeout(this.timer);
    await body();
    this.timer = this.listen();
  }

  end(): void {
    clearTimeout(this.timer);
  }

  private listen(): NodeJS.Timeout {
    return setTimeout(
      () => this.controller.abort(new Error(`nothing came for ${this.limitMs / 1_000} s`)),
      this.limitMs,
    );
  }
}

/** The usage of the command that makes a call, for its error messages. */
export interface Usage {
  /** How to list the valid names; added to a 404. Empty when the command names nothing. */
  readonly whereNamed: string;
  /** The option that sets a member of the query or the body; null when none does. */
  readonly optionFor: (member: string) => string | null;
  /** Whether the call changes something. */
  readonly isChange: boolean;
}

const noUsage: Usage = { whereNamed: '', optionFor: () => null, isChange: false };

const namedAddress = 'PARLEY_URL must name the service itself, and not its management port';
const namedToken = "PARLEY_OPERATOR_TOKEN, or the npm start here, must have an operator's token that has not expired";

/**
 * Returns the body of a success. @param scope that the call needs
 * @throws CommandFailed with the problem in words, in which a member that an option sets has the option's name
 */
export function succeeded({ status, body }: Answered, scope?: string, usage: Usage = noUsage): JsonValue {
  if (status < 300) return body;
  const problem = isJsonObject(body) ? body : {};
  const { title, reason, issues, detail } = problem;
  const nameOf = (member: string) => usage.optionFor(member) ?? member;
  const wrong = Array.isArray(issues)
    ? issues.filter(isJsonObject).map(({ path, message }) => `${nameOf(text(path).slice(1))}: ${text(message)}`)
    : [];
  if (wrong.length > 0) throw new CommandFailed(wrong.join('; '));
  if (title === undefined) throw new CommandFailed(`the answer ${status} is not one of this API: ${namedAddress}`);
  const more = detail === undefined ? '' : `: ${text(detail)}`;
  const advice = adviceOn(status, problem, scope, usage);
  throw new CommandFailed(`refused (${text(reason) || `${status}`}): ${text(title)}${more}${advice}`);
}

/** Advice on a refusal, as the end of its sentence; empty where the problem says it all. */
function adviceOn(
  status: number,
  { reason, detail, retryable }: JsonObject,
  scope: string | undefined,
  { whereNamed, isChange }: Usage,
): string {
  switch (status) {
    case 401:
      return `: ${namedToken}`;
    case 403:
      if (reason === 'account_disabled' && isChange)
        return ': the user is erased, or is being erased, and stays so; parley users erasure <userId> says how far it is';
      return reason === 'permission_required' && scope !== undefined ? `: the token needs the scope ${scope}` : '';
    case 404:
      return whereNamed !== '' && detail === undefined ? `: ${whereNamed}` : '';
    case 503: {
      // Source: docs/decisions/operators.md.
      const change = isChange ? '; the change may have been made, or will be' : '';
      return retryable === true ? `. Give the command again${change}` : '';
    }
    default:
      return '';
  }
}

/** Forces a text of the service onto one line. */
const text = (value: JsonValue | undefined): string => (typeof value === 'string' ? visible(value) : '');
