// One operation of the mixed day, from the moment that it was due.
import { setTimeout as sleep } from 'node:timers/promises';
import { Refused } from './client.mjs';

const firstPauseMs = 500;
const insistsForMs = 120_000;

/** What a journey has at hand: a user, what was acknowledged so far, and how to insist where something has begun already. */
export class Operation {
  wasRefused = false;
  /** Spent waiting for a moment that the operation itself has chosen; no latency. */
  idleMs = 0;

  constructor({ user, ledger, recorder }) {
    this.user = user;
    this.ledger = ledger;
    this.recorder = recorder;
  }

  /** Asks again, as long as it is refused, when the service says; for what may not be left half done. */
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

  /** Waits for a moment that is no fault of the service. */
  async rest(ms) {
    this.idleMs += ms;
    await sleep(ms);
  }
}

/** Carries out one operation that was due at `dueAtMs`, and notes what became of it. */
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
