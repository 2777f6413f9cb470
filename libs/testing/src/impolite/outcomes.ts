import { setTimeout as sleep } from 'node:timers/promises';
import { ImpoliteServer } from './impolite-server';
import { impoliteKinds, type ImpoliteKind } from './kinds';

/** Added to a limit, for a busy machine: an attempt that hangs lasts much longer, or for ever. */
const slackMs = 5_000;
/**
 * The library behind `fetch` ends a connection that is still being opened only after 10 s, even if its request was
 * aborted.
 */
const stillOpening: ImpoliteKind = 'never ends its handshake';
/** Time in which a client that gave up must close its connection. */
const closedWithinMs = 5_000;

type ByKind<Value> = Readonly<Record<ImpoliteKind, Value>>;

export interface ImpoliteOutcomes {
  /** The value of each attempt, or its error's name and message; null if it did not end in time. */
  readonly ended: ByKind<unknown>;
  readonly msOf: ByKind<number>;
  /** Kinds whose attempts did not end in time. */
  readonly hanging: readonly ImpoliteKind[];
  /** Kinds whose connections are still open after the attempts and after `close`. */
  readonly left: readonly ImpoliteKind[];
}

interface Client {
  /** Makes one attempt at a server's URL, which has no slash at its end. */
  readonly attempt: (url: string, kind: ImpoliteKind) => Promise<unknown>;
  /** The longest time that an attempt may take by the client's own settings. */
  readonly limitMs: number;
  /** Whether it uses `fetch`. */
  readonly byFetch?: boolean;
  /** Ends the client, if it keeps connections. */
  readonly close?: () => Promise<void> | void;
}

/** Runs a client against every kind, all at the same time. */
export async function impoliteOutcomes({
  attempt,
  limitMs,
  close,
  byFetch = false,
}: Client): Promise<ImpoliteOutcomes> {
  // Reason for the assertion: the keys of the table are the kinds.
  const kinds = Object.keys(impoliteKinds) as ImpoliteKind[];
  const servers = await Promise.all(kinds.map((kind) => ImpoliteServer.start(kind)));
  try {
    const found = await Promise.all(servers.map((server) => outcomeAt(server, attempt, limitMs)));
    await close?.();
    return {
      ended: tableOf(found.map(({ kind, ended }) => [kind, ended])),
      msOf: tableOf(found.map(({ kind, ms }) => [kind, ms])),
      hanging: found.filter(({ ended }) => ended === null).map(({ kind }) => kind),
      left: await leftOpen(byFetch ? servers.filter(({ kind }) => kind !== stillOpening) : servers),
    };
  } finally {
    await Promise.all(servers.map((server) => server.close()));
  }
}

async function outcomeAt(server: ImpoliteServer, attempt: Client['attempt'], limitMs: number) {
  const startedMs = performance.now();
  const over = new AbortController();
  const going = attempt(server.url, server.kind).then((value) => value ?? 'nothing', String);
  const late = sleep(limitMs + slackMs, null, { signal: over.signal });
  late.catch(() => undefined); // the attempt has ended in time
  const ended: unknown = await Promise.race([going, late]);
  over.abort();
  return { kind: server.kind, ended, ms: performance.now() - startedMs };
}

function tableOf<Value>(rows: readonly (readonly [ImpoliteKind, Value])[]): ByKind<Value> {
  // Reason for the assertion: there is a row of each kind.
  return Object.fromEntries(rows) as ByKind<Value>;
}

/** Returns the kinds whose connections are still open after a while. */
async function leftOpen(servers: readonly ImpoliteServer[]): Promise<ImpoliteKind[]> {
  const untilMs = performance.now() + closedWithinMs;
  for (;;) {
    const open = servers.filter((server) => server.open > 0);
    if (open.length === 0 || performance.now() > untilMs) return open.map(({ kind }) => kind);
    await sleep(20);
  }
}
