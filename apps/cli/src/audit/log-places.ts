import { openBucketFiles } from '@app/artifacts';
import type { LogFiles, WritableLogFiles } from '@app/audit';
import { makeFolder } from '@app/data-folder';
import { bodyWithin, fetchWithoutRedirects, retryAfterMs } from '@app/runtime';
import type { Configuration } from '@app/settings';
import { readFile, rm, stat } from 'node:fs/promises';
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
    async has(path) {
      return stat(join(folder, path)).then(
        (found) => found.isFile(),
        (error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return false;
          throw new CommandFailed(`${folder} cannot be read: ${reasonIn(error)}`, { cause: error });
        },
      );
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
/** The maximum of all waits for one file. */
const waitedMsMax = 600_000;
/** More than the largest file of a log: a bundle of 256 entries of 64 KiB. */
const fileBytesMax = 17 * 1024 * 1024;

/**
 * The log as a service publishes it, including `key`. @param token of an operator, for its entries
 * @throws CommandFailed for an address to which the token would be sent in clear text
 */
export function servedLog(baseUrl: string, token: string | undefined): LogFiles {
  if (token !== undefined) refuseClearText(baseUrl, '--url');
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  return {
    async read(path) {
      let waitedMs = 0;
      const url = below(baseUrl, `/transparency/${path}`);
      for (let tried = 1; ; tried += 1) {
        const { status, body, waitMs } = await asked(url, path.startsWith('tile/entries/') ? headers : {});
        if (status === 200) return body;
        if (status === 404) return null;
        if (tried === triesMax || waitMs === null || waitMs > waitMsMax || (waitedMs += waitMs) > waitedMsMax)
          throw new CommandFailed(`${url.href} answered ${status}${scopeHint(path, status)}`);
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

/** Returns an answer with its body, which is empty unless the status is 200. @throws NoAnswer, also when the body is cut or too long */
async function asked(url: URL, headers: Record<string, string>) {
  try {
    const answer = await fetchWithoutRedirects(url, { headers, signal: AbortSignal.timeout(answerWithinMs) });
    const { status } = answer;
    const waitMs = retryAfterMs(answer.headers.get('retry-after'));
    if (status === 200) return { status, waitMs, body: new Uint8Array(await bodyWithin(answer, fileBytesMax)) };
    await answer.body?.cancel();
    return { status, waitMs, body: new Uint8Array() };
  } catch (error) {
    throw new NoAnswer(noAnswerOf(url, error));
  }
}
