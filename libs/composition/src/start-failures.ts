import { UnfitArtifactStore } from '@app/artifacts';
import { OtherStore } from '@app/audit';
import { SecretsDamaged } from '@app/data-folder';
import { UnfitEventStore } from '@app/event-store';
import { UnfitIssuer } from '@app/http';
import { DamagedStream, Unavailable } from '@app/kernel';
import { UnfitDatabase } from '@app/read-store';
import { ConfigurationError } from '@app/runtime';
import { IdentityKeyLost } from '@app/users';

/** The cause is the user's to change; the message says everything, and a stack would only hide it. */
export class CannotStart extends Error {}

/** Explains why an address cannot be listened on; the error itself when its user cannot fix that. */
export function listenFailure(error: unknown, variable: 'PORT' | 'MANAGEMENT_PORT', port: number): unknown {
  const code = codeOf(error) ?? '';
  if (code === 'EADDRINUSE')
    return new CannotStart(
      `port ${port} is in use by another program: stop that one, or set ${variable} to a free port`,
    );
  if (code === 'EACCES') return new CannotStart(`port ${port} is kept for root: set ${variable} to one above 1023`);
  if (['EADDRNOTAVAIL', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL'].includes(code))
    return new CannotStart(
      `${variable === 'PORT' ? 'HOST' : 'MANAGEMENT_HOST'} is no address of this machine: set it to one, as 127.0.0.1, or 0.0.0.0 for all`,
    );
  return error;
}

/** Errors whose messages say everything that their user needs. */
const whole = [
  CannotStart,
  ConfigurationError,
  SecretsDamaged,
  UnfitDatabase,
  UnfitEventStore,
  OtherStore,
  IdentityKeyLost,
  UnfitIssuer,
  UnfitArtifactStore,
];

/** Whether the user has to change something, because waiting does not help. */
export function isMistake(error: unknown): error is Error {
  return error instanceof Error && whole.some((kind) => error instanceof kind);
}

/** The text printed for a failed start: one sentence for what its user can fix, everything known for anything else. */
export function describeFailure(error: unknown): unknown {
  if (isMistake(error)) return error.message;
  if (error instanceof Unavailable && error.dependency === 'database')
    return `PostgreSQL does not answer${reasonOf(error)}: start it, or correct DATABASE_URL`;
  if (error instanceof DamagedStream) return `${error.message}: see ParleyStreamDamaged in docs/runbook.md`;
  if (error instanceof Unavailable && error.dependency === 'event store')
    return `the event store does not answer${reasonOf(error)}: start it, or correct EVENTSTORE_URL`;
  // PostgreSQL's own messages for a wrong password, a missing role, database or right: they contain no secret.
  if (error instanceof Error && /^(28...|3D000|42501)$/.test(codeOf(error) ?? ''))
    return `PostgreSQL refuses this service (${error.message}): correct DATABASE_URL, or what it names`;
  // Classes 53 (insufficient resources) and 58 (system errors); errors of TypeORM and pg both carry the code.
  if (error instanceof Error && /^(53|58)...$/.test(codeOf(error) ?? ''))
    return `PostgreSQL cannot go on (${error.message}): give it what it lacks, such as room on its disk, and start again`;
  return error;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The innermost message in parentheses, if there is one; when several addresses were tried, that of the first. */
function reasonOf({ cause }: Error): string {
  const tried: unknown = cause instanceof AggregateError ? cause.errors[0] : cause;
  if (!(tried instanceof Error)) return '';
  return reasonOf(tried) || ` (${tried.message.split('\n')[0]})`;
}
