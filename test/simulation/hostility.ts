const hourMs = 3_600_000;
const forgetsAtFirstMaxMs = 25_000;

type Random = () => number;

/** The faults of a schedule, each as the chance that a call meets it. */
export interface Hostility {
  readonly away: number;
  readonly timeoutBefore: number;
  readonly timeoutAfter: number;
  readonly delayed: number;
  readonly duplicated: number;
  readonly rejected: number;
  /** Refused, but third parties keep the bytes and send them later. */
  readonly refused: number;
  readonly greedy: number;
  readonly refunded: number;
  readonly failed: number;
  readonly forgets: number;
  readonly unsure: number;
}

export const peace: Hostility = {
  away: 0,
  timeoutBefore: 0,
  timeoutAfter: 0,
  delayed: 0,
  duplicated: 0,
  rejected: 0,
  refused: 0,
  greedy: 0,
  refunded: 0,
  failed: 0,
  forgets: 0,
  unsure: 0,
};

/** A chance that is high now and then. */
export function often(random: Random): number {
  return random() ** 2 * 0.7;
}

function seldom(random: Random): number {
  return random() ** 6 * 0.4;
}

/** The chances of one schedule. Most schedules have at least one fault that is far too frequent. */
export function randomHostility(random: Random): Hostility {
  const hostility = {
    away: often(random),
    timeoutBefore: often(random),
    timeoutAfter: often(random),
    delayed: often(random),
    duplicated: often(random),
    forgets: often(random),
    unsure: often(random),
    refunded: seldom(random),
    failed: seldom(random),
    rejected: seldom(random),
    refused: seldom(random),
    greedy: seldom(random),
  };
  for (const fault of ['timeoutAfter', 'forgets', 'delayed', 'timeoutBefore', 'unsure', 'refused'] as const)
    if (random() < 0.3) hostility[fault] = 0.9;
  return hostility;
}

/** A time in which the provider does not know of an accepted submission, or does not know its outcome. */
export interface Lapse {
  readonly kind: 'never_accepted' | 'unknown';
  readonly fromMs: number;
  readonly toMs: number;
}

/** The provider may not know of an accepted submission at first, and later may not know its outcome for a while. */
export function randomLapses(random: Random, { forgets, unsure }: Hostility, takenAtMs: number): Lapse[] {
  const lapses: Lapse[] = [];
  if (random() < forgets) {
    const toMs = takenAtMs + Math.floor(random() * forgetsAtFirstMaxMs);
    lapses.push({ kind: 'never_accepted', fromMs: takenAtMs, toMs });
  }
  if (random() < unsure) {
    const fromMs = takenAtMs + Math.floor(random() * 60_000);
    lapses.push({ kind: 'unknown', fromMs, toMs: fromMs + Math.floor(random() * hourMs) });
  }
  return lapses;
}
