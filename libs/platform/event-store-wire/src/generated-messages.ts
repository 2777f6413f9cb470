/** The messages of rare calls, which the generated stubs of the client decode. */
import type { StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb';
import type { ExpectedRevision } from './append-request';
import { uuidTextOf } from './shared-messages';

/** Returns the text of a UUID sent in either form, unchanged. */
export function sentUuid(uuid: UUID | undefined): string | undefined {
  const bits = uuid?.getStructured();
  if (!bits) return uuid?.getString();
  return uuidTextOf(BigInt(bits.getMostSignificantBits()), BigInt(bits.getLeastSignificantBits()));
}

/** The expectation in the options of every write, except for the revision. */
interface Expectation {
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

export function readExpected(options: Expectation, hasRevision: boolean, revision: string): ExpectedRevision {
  if (options.hasNoStream()) return 'no_stream';
  if (options.hasStreamExists()) return 'stream_exists';
  return hasRevision ? Number(revision) : 'any';
}

export function readStreamName(identifier: StreamIdentifier | undefined): string {
  const bytes = identifier?.getStreamName_asU8() ?? new Uint8Array(0);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
}
