import leven from 'leven';

/** OpenTelemetry's own variables have the same prefix as ours for it. */
const othersPrefix = 'OTEL_';
/** Variables that Docker and Kubernetes set for a service whose name equals a prefix of ours. */
const platformName = /_(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;
/** Variables that many machines set for other programs: this one is of Python's `requests`. */
const othersNames: readonly string[] = ['REQUESTS_CA_BUNDLE'];
/** A long name that differs from one of ours by this few letters must be a misspelling of it, whatever its prefix. */
const nearEnough = { lettersMin: 8, distanceMax: 2 };

/**
 * Returns a line for each unknown variable that begins like a known one, or is spelled nearly like one; each names the nearest.
 * @param known the table's names
 */
export function unknownVariables(environment: NodeJS.ProcessEnv, known: readonly string[]): string[] {
  const prefixes = new Set(known.flatMap((name) => /^[^_]+_/.exec(name) ?? []).filter((one) => one !== othersPrefix));
  return Object.keys(environment)
    .filter((name) => !known.includes(name) && !othersNames.includes(name) && !platformName.test(name))
    .filter((name) => [...prefixes].some((prefix) => name.startsWith(prefix)) || isMisspelled(name, known))
    .map((name) => `${name} is no variable of Parley, and changes nothing; did you mean ${nearestOf(name, known)}?`)
    .sort();
}

function isMisspelled(name: string, known: readonly string[]): boolean {
  if (name.length < nearEnough.lettersMin) return false;
  // Lengths first, because each start compares every variable of the environment with each of ours.
  const isNear = (other: string): boolean =>
    Math.abs(other.length - name.length) <= nearEnough.distanceMax && leven(name, other) <= nearEnough.distanceMax;
  return known.some(isNear);
}

function nearestOf(name: string, known: readonly string[]): string {
  const [first = '', ...rest] = known;
  return rest.reduce((best, next) => (leven(name, next) < leven(name, best) ? next : best), first);
}
