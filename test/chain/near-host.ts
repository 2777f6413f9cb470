import { createHash, createPublicKey, verify } from 'node:crypto';

/** The contract ended the call with this message; the call's changes are discarded. */
export class ContractPanic extends Error {}

/** One call of a contract's method. */
export interface Call {
  readonly method: string;
  readonly args: object;
  /** The calling account. */
  readonly predecessor: string;
  readonly depositYocto?: bigint;
}

type Storage = Map<string, Uint8Array>;

/** DER of an Ed25519 public key (RFC 8410), up to its 32 bytes. */
const spkiPrefix = Buffer.from('302a300506032b6570032100', 'hex');
/**
 * In the place of a length: the bytes are in the register that the pointer names. Also the length of an empty register.
 */
const inRegister = 2n ** 64n - 1n;
const depositBytes = 16;

/**
 * The part of NEAR's runtime that a contract needs if it calls no other: storage, registers, caller and time, hashes,
 * signatures. Using any other import ends the call.
 * Source: near/nearcore, runtime/near-vm-runner/src/logic/logic.rs, the arguments and results of each function.
 */
export class NearHost {
  private readonly module: WebAssembly.Module;
  private readonly storage: Storage = new Map();
  private calls = 0;

  constructor(
    wasm: Buffer<ArrayBuffer>,
    readonly accountId: string,
    private readonly nowNs: () => bigint,
  ) {
    this.module = new WebAssembly.Module(wasm);
  }

  has(method: string): boolean {
    return WebAssembly.Module.exports(this.module).some(({ name }) => name === method);
  }

  /**
   * Returns the method's result, parsed from JSON; null for nothing.
   * @throws ContractPanic
   */
  call(call: Call): unknown {
    const execution = this.execute(call);
    for (const [key, value] of execution.changes)
      if (value === null) this.storage.delete(key);
      else this.storage.set(key, value);
    return execution.returned();
  }

  /**
   * The same for a method that changes nothing.
   * @throws ContractPanic
   */
  view(method: string, args: object): unknown {
    return this.execute({ method, args, predecessor: this.accountId }).returned();
  }

  private execute(call: Call): Execution {
    this.calls += 1;
    const seed = createHash('sha256').update(`block ${this.calls}`).digest();
    const execution = new Execution(this.storage, { ...call, seed, nowNs: this.nowNs(), accountId: this.accountId });
    execution.run(this.module);
    return execution;
  }
}

interface Context extends Call {
  readonly accountId: string;
  readonly nowNs: bigint;
  readonly seed: Uint8Array;
}

type Imported = (...args: bigint[]) => bigint | void;

class Execution {
  /** The values that the call has written; null for removed keys. */
  readonly changes = new Map<string, Uint8Array | null>();
  private readonly registers = new Map<bigint, Uint8Array>();
  private memory: WebAssembly.Memory;
  private result: Uint8Array | null = null;

  constructor(
    private readonly before: ReadonlyMap<string, Uint8Array>,
    private readonly context: Context,
  ) {}

  /** @throws ContractPanic */
  run(module: WebAssembly.Module): void {
    const functions: Record<string, Imported> = {
      ...this.facts(),
      ...this.hashes(),
      ...this.words(),
      ...this.stored(),
    };
    const missing = (name: string): Imported => {
      return () => {
        throw new Error(`the host has no ${name}`);
      };
    };
    const imported = WebAssembly.Module.imports(module).map(({ name }) => [name, functions[name] ?? missing(name)]);
    const { exports } = new WebAssembly.Instance(module, { env: Object.fromEntries(imported) });
    const method = exports[this.context.method];
    if (!(exports['memory'] instanceof WebAssembly.Memory)) throw new Error('the contract exports no memory');
    if (typeof method !== 'function') throw new Error(`the contract has no ${this.context.method}`);
    this.memory = exports['memory'];
    method();
  }

  returned(): unknown {
    return this.result === null || this.result.length === 0 ? null : JSON.parse(Buffer.from(this.result).toString());
  }

  /** The imports by which the contract reads the context of the current call. */
  private facts(): Record<string, Imported> {
    const { accountId, predecessor, args, seed, nowNs, depositYocto = 0n } = this.context;
    const answers = (bytes: Uint8Array): Imported => {
      return (register = 0n) => void this.registers.set(register, bytes);
    };
    return {
      current_account_id: answers(Buffer.from(accountId)),
      predecessor_account_id: answers(Buffer.from(predecessor)),
      input: answers(Buffer.from(JSON.stringify(args))),
      random_seed: answers(seed),
      block_timestamp: () => nowNs,
      attached_deposit: (pointer = 0n) => {
        const bytes = Buffer.alloc(depositBytes);
        bytes.writeBigUInt64LE(depositYocto);
        this.write(pointer, bytes);
      },
      register_len: (register = 0n) => BigInt(this.registers.get(register)?.length ?? inRegister),
      read_register: (register = 0n, pointer = 0n) => this.write(pointer, this.registerOf(register)),
    };
  }

  private hashes(): Record<string, Imported> {
    return {
      sha256: (length = 0n, pointer = 0n, register = 0n) => {
        this.registers.set(register, createHash('sha256').update(this.read(length, pointer)).digest());
      },
      ed25519_verify: (
        ...[signatureLength = 0n, signatureAt = 0n, length = 0n, at = 0n, keyLength = 0n, keyAt = 0n]
      ) => {
        const der = Buffer.concat([spkiPrefix, this.read(keyLength, keyAt)]);
        const key = createPublicKey({ key: der, format: 'der', type: 'spki' });
        const isRight = verify(null, this.read(length, at), key, this.read(signatureLength, signatureAt));
        return isRight ? 1n : 0n;
      },
    };
  }

  private words(): Record<string, Imported> {
    return {
      value_return: (length = 0n, pointer = 0n) => void (this.result = this.read(length, pointer)),
      panic_utf8: (length = 0n, pointer = 0n) => {
        throw new ContractPanic(this.read(length, pointer).toString());
      },
      log_utf8: () => undefined,
    };
  }

  private stored(): Record<string, Imported> {
    const keyOf = (length: bigint, pointer: bigint): string => this.read(length, pointer).toString('latin1');
    const valueOf = (key: string): Uint8Array | null => {
      const changed = this.changes.get(key);
      return changed === undefined ? (this.before.get(key) ?? null) : changed;
    };
    /** Puts the stored value into the register. Returns 1 if there is one, else 0. */
    const found = (key: string, register: bigint): bigint => {
      const value = valueOf(key);
      if (value !== null) this.registers.set(register, value);
      return value === null ? 0n : 1n;
    };
    return {
      storage_read: (length = 0n, pointer = 0n, register = 0n) => found(keyOf(length, pointer), register),
      storage_has_key: (length = 0n, pointer = 0n) => (valueOf(keyOf(length, pointer)) === null ? 0n : 1n),
      storage_write: (...[keyLength = 0n, keyAt = 0n, length = 0n, at = 0n, register = 0n]) => {
        const key = keyOf(keyLength, keyAt);
        const value = this.read(length, at);
        const before = found(key, register);
        this.changes.set(key, value);
        return before;
      },
      storage_remove: (length = 0n, pointer = 0n, register = 0n) => {
        const key = keyOf(length, pointer);
        const before = found(key, register);
        this.changes.set(key, null);
        return before;
      },
    };
  }

  /** A copy of bytes in the contract's memory, or in one of its registers. */
  private read(length: bigint, pointer: bigint): Buffer {
    if (length === inRegister) return Buffer.from(this.registerOf(pointer));
    return Buffer.from(Buffer.from(this.memory.buffer, Number(pointer), Number(length)));
  }

  private write(pointer: bigint, bytes: Uint8Array): void {
    new Uint8Array(this.memory.buffer).set(bytes, Number(pointer));
  }

  private registerOf(register: bigint): Uint8Array {
    const bytes = this.registers.get(register);
    if (bytes === undefined) throw new Error(`register ${register} holds nothing`);
    return bytes;
  }
}
