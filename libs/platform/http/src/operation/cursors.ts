import { createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalText } from '@app/canonical';
import { because, limits, ok, refuse, type JsonObject, type JsonValue, type Result } from '@app/kernel';
import { secretKeysIn } from '@app/runtime';

/** Scope of a cursor: any other list, user or set of filters refuses it. `limit` is not a filter. */
export interface CursorBinding {
  /** The operation id, or the name of one list if the operation has several. */
  readonly list: string;
  readonly userId: string;
  readonly filters: JsonObject;
}

const macBytes = 16;

/**
 * Opaque cursors of lists (docs/decisions/conventions.md, "Cursors"): sort keys under a MAC that binds them to list, filters and user. Any
 * replica reads a cursor that another one minted, because the keys derive from the deployment's secret: the newest entry signs, each verifies.
 * @example
 * const binding = { list: 'runs.list', userId, filters: {} };
 * const after = cursors.startOf(binding, query.cursor); // null for the first page
 * const nextCursor = cursors.mint(binding, [last.position]);
 */
export class Cursors {
  private readonly keys: readonly [Buffer, ...Buffer[]];

  /** @param secretKeys `PARLEY_SECRET_KEY`: its entries in base64, newest first */
  constructor(secretKeys: string) {
    // RFC 5869; the label keeps these keys apart from every other use of the secret.
    const derived = (entry: Buffer): Buffer => Buffer.from(hkdfSync('sha256', entry, '', 'parley/list-cursors/1', 32));
    const [newest, ...older] = secretKeysIn(secretKeys);
    this.keys = [derived(newest), ...older.map(derived)];
  }

  /**
   * Returns a cursor of at most 256 characters that holds the sort keys of the last row of a page.
   * @throws RangeError when the keys are too long for one
   */
  mint(binding: CursorBinding, keys: readonly JsonValue[]): string {
    const payload = Buffer.from(JSON.stringify(keys), 'utf8');
    const text = Buffer.concat([macUnder(this.keys[0], binding, payload), payload]).toString('base64url');
    if (text.length > limits.cursorLengthMax) throw new RangeError(`a cursor of ${text.length} characters`);
    return text;
  }

  /** Returns the sort keys in a cursor, or `invalid_cursor` for any text that this list did not mint for this user and these filters. */
  read(binding: CursorBinding, text: string): Result<readonly JsonValue[]> {
    if (text.length > limits.cursorLengthMax) return refuse(because('invalid_cursor'));
    const bytes = Buffer.from(text, 'base64url');
    // Node skips characters that are not base64url, so only the spelling that was minted is accepted.
    if (bytes.length <= macBytes || bytes.toString('base64url') !== text) return refuse(because('invalid_cursor'));
    const payload = bytes.subarray(macBytes);
    const mac = bytes.subarray(0, macBytes);
    if (!this.keys.some((key) => timingSafeEqual(mac, macUnder(key, binding, payload))))
      return refuse(because('invalid_cursor'));
    // Reason for the assertion: the MAC shows that `mint` wrote these bytes.
    return ok(JSON.parse(payload.toString('utf8')) as readonly JsonValue[]);
  }

  /** The position after which a page of a list starts; null without a cursor. Refuses as `read` does. */
  startOf(binding: CursorBinding, cursor: string | undefined): Result<number | null> {
    if (cursor === undefined) return ok(null);
    const keys = this.read(binding, cursor);
    return keys.ok ? ok(Number(keys.value[0])) : keys;
  }
}

function macUnder(key: Buffer, binding: CursorBinding, payload: Buffer): Buffer {
  const bound = canonicalText([binding.list, binding.userId, binding.filters]);
  // JCS text holds no raw NUL, so the two parts cannot run into each other.
  return createHmac('sha256', key).update(bound).update('\0').update(payload).digest().subarray(0, macBytes);
}
