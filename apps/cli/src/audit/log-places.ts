import { openBucketFiles } from '@app/artifacts';
import type { LogFiles, WritableLogFiles } from '@app/audit';
import { makeFolder } from '@app/data-folder';
import { fetchWithoutRedirects, retryAfterMs, type Configuration } from '@app/runtime';
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { CommandFailed, NoAnswer, reasonIn } from '../terminal/outcome';
import { below, noAnswerOf, refuseClearText } from '../service/service-fetch';
import { writeWhole } from '../terminal/whole-file';

/** A place that must be closed after use. */
export type Opened<Files> = Files & { close(this: void): void };

/** Opens a folder, or `s3://bucket/prefix`. */
export function openLogPlace(configuration: Configuration, place: string): Opened<WritableLogFiles> {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/.exec(place) ?? [];
  if (bucket === undefined) return folderFiles(place);
  return openBucketFiles(configuration, bucket, prefix === '' || prefix.endsWith('/') ? prefix : `${prefix}/`);
}

function folderFiles(folder: string): Opened<WritableLogFiles> {
  return {
    async read(path) {
      return readFile(join(folder, path)).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null;
        throw new CommandFailed(`${folder} cannot be read: ${reasonIn(error)}`, { cause: error });
      });
    },
    async write(path, bytes) {
      const place = join(folder, path);
      await makeFolder(dirname(place)).catch((error: unknown) => {
        throw new CommandFailed(`${folder} cannot be written: ${reasonIn(error)}`, { cause: error });
      });
      await writeWhole(place, bytes);
    },
    remove: (path) => rm(join(folder, path), { force: true }),
    close: () => undefined,
  };
}

const answerWithinMs = 60_000;
const triesMax = 30;
/** The maximum wait before a retry. Rate limits reset every minute, so a service that asks for more than this is down. */
const waitMsMax = 300_000;

/**
 * The log as a service publishes it, including `key`. @param token of an operator, for its entries
 * @throws CommandFailed for an address to which the token would be sent in clear text
 */
export function servedLog(baseUrl: string, token: string | undefined): LogFiles {
  if (token !== undefined) refuseClearText(baseUrl, '--url');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    async read(path) {
      const url = below(baseUrl, `/transparency/${path}`);
      for (let tried = 1; ; tried += 1) {
        const answer = await asked(url, path.startsWith('tile/entries/') ? headers : {});
        if (answer.status === 200) return new Uint8Array(await answer.arrayBuffer());
        await answer.body?.cancel();
        if (answer.status === 404) return null;
        const waitMs = retryAfterMs(answer.headers.get('retry-after'));
        if (tried === triesMax || waitMs === null || waitMs > waitMsMax)
          throw new CommandFailed(`${url.href} answered ${answer.status}${scopeHint(path, answer.status)}`);
        await sleep(waitMs);
      }
    },
  };
}

/** Entries are for operators: explains why a token is refused there. */
function scopeHint(path: string, status: number): string {
  if (!path.startsWith('tile/entries/')) return '';
  if (status === 401) return ': PARLEY_OPERATOR_TOKEN is not taken';
  return status === 403 ? ': PARLEY_OPERATOR_TOKEN needs the scope audit' : '';
}

async function asked(url: URL, headers: Record<string, string>): Promise<Response> {
  try {
    return await fetchWithoutRedirects(url, { headers, signal: AbortSignal.timeout(answerWithinMs) });
  } catch (error) {
    throw new NoAnswer(noAnswerOf(url, error));
  }
}
