// One operation of the mixed day, timed from the moment at which it was due.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from './client.mjs';

const firstPauseMs = 500;
const insistsForMs = 120_000;

/** The context of a journey: a user, the acknowledgements so far, and a way to insist on what has already begun. */
export class Operation {
  wasRefused = false;
  /** Time spent waiting for a moment that the operation itself has chosen, which is not latency. */
  idleMs = 0;

  constructor({ user, ledger, recorder }) {
    this.user = user;
    this.ledger = ledger;
    this.recorder = recorder;
  }

  /** Repeats a refused request after the time that the refusal names. For journeys that must not be left half done. */
  async insist(ask) {
    const giveUpAtMs = performance.now() + insistsForMs;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof Refused) || performance.now() > giveUpAtMs) throw error;
        this.noteRefusal(error);
        await sleep((error.retryAfterMs || firstPauseMs) * (1 + Math.random()));
      }
    }
  }

  noteRefusal(refusal) {
    this.wasRefused = true;
    this.recorder.sawRefusal(refusal);
  }

  /** Waits without adding to the operation's latency. */
  async rest(ms) {
    this.idleMs += ms;
    await sleep(ms);
  }
}

/** Carries out one operation that was due at `dueAtMs`, and records its outcome. */
export async function carryOut({ kind, run }, { dueAtMs, ...parts }) {
  const operation = new Operation(parts);
  const { recorder } = parts;
  try {
    await run(operation);
  } catch (error) {
    if (!(error instanceof Refused)) return recorder.failed(kind, error);
    operation.noteRefusal(error);
  }
  if (operation.wasRefused) recorder.refused(kind);
  else recorder.done(kind, performance.now() - dueAtMs - operation.idleMs);
}
