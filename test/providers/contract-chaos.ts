import { submitFaults } from '@app/sandbox';
import type { Settlement, Submission } from '@app/wallets';
import { seededRandom } from '@app/testing/journeys';
import { operationSeconds, settledAfterSeconds, type Stage } from './contract-stage';
import { usdc } from './harness';

const lives = 12;
const stepsOfALife = 8;
const amount = 1_000_000n;

/**
 * One submission goes through random sends, queries, faults and time. The provider's last answer must match what
 * happened.
 */
export function chaosCases(stage: Stage): void {
  it.each(Array.from({ length: lives }, (_, seed) => seed))(
    'has at most one effect, and tells it, whatever happens on the way (seed %i)',
    async (seed) => {
      const random = seededRandom(seed);
      const submission = await stage.plan(stage.withdraw(amount.toString()));
      let lost = false;
      for (let step = 0; step < stepsOfALife; step += 1) {
        const submit = submitFaults[Math.floor(random() * submitFaults.length)] ?? 'ok';
        await stage.world.setFaults({ submit, down: random() < 0.1, settleAfterSeconds: Math.floor(random() * 20) });
        if (random() < 0.2) stage.world.advance(Math.floor(random() * 40));
        const overdue = submission.deadline <= stage.world.now();
        const seen = await attempt(stage, submission, random() < 0.7);
        // After the deadline a new attempt may be signed because of `never_accepted`, so the provider must not retract it.
        if (lost)
          expect(seen === null || seen === 'never_accepted' || seen === 'rejected' || seen === 'refused').toBe(true);
        lost ||= overdue && seen === 'never_accepted';
      }
      await stage.world.setFaults({ submit: 'ok', down: false });
      stage.world.advance(operationSeconds + settledAfterSeconds);
      const end = await stage.settlement(submission);
      if (lost) expect(end.kind).toBe('never_accepted');
      expect(await stage.world.received(stage.owner, usdc)).toBe(receivedBy(end));
      expect(BigInt((await stage.holdings())[usdc] ?? 0)).toBe(250_000_000n - receivedBy(end));
    },
  );
}

/** Sends or queries several times in parallel. Null if no answer came. */
async function attempt(stage: Stage, submission: Submission, sending: boolean): Promise<string | null> {
  const calls = Array.from({ length: 3 }, () => (sending ? stage.submit(submission) : stage.settlement(submission)));
  const answers = await Promise.all(calls.map((call) => call.then(({ kind }) => kind).catch(() => null)));
  return answers.find((kind) => kind !== null) ?? null;
}

/** The amount that the owner has received according to a settlement. */
function receivedBy(end: Settlement): bigint {
  if (end.kind === 'settled') return amount;
  if (end.kind === 'refunded') return BigInt(end.output?.amountRaw ?? 0);
  expect(['failed', 'never_accepted']).toContain(end.kind);
  return 0n;
}
