import { Writable } from 'node:stream';
import type { LoggerService } from '@nestjs/common';
import type * as Pretty from 'pino-pretty';
import pino, { type DestinationStream, type Logger as Pino, type LoggerOptions } from 'pino';
import { loggedMessage } from '@app/kernel';
import type { Configuration } from '../configuration/configuration';

/** Members that may hold a credential; they are removed from every log line. */
const secretName =
  /^(headers|cookies?|set-cookie|x-api-key|key)$|(authorization|token|secret|password|(api|partner|secret|signing)_?key)$/i;
/** Deeper levels of an object are left out of its log line. */
const depthMax = 6;
/**
 * Lines are written in batches, because each write costs more than its line; none waits longer than this, or beyond the end of the process.
 */
const writtenTogether = { minLength: 4096, periodicFlush: 100 };

/** Whether log lines are for people, who read them in a terminal, rather than for machines. */
export function hasReadableLogs({ env }: Configuration): boolean {
  return env.LOG_FORMAT === 'pretty' || (env.LOG_FORMAT === 'auto' && process.stdout.isTTY);
}

/** Creates the logger for Nest's own `Logger` and for request lines, on standard output by default: JSON, or readable in a terminal. */
export function createPino(configuration: Configuration, component: string, output?: DestinationStream): Pino {
  const options: LoggerOptions = {
    level: configuration.env.LOG_LEVEL,
    base: { component, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label) => ({ level: label }), log: (fields) => withoutSecrets(fields, 1) },
    serializers: { err: briefError },
  };
  if (hasReadableLogs(configuration)) return pino(options, readable(output));
  return pino(options, output ?? pino.destination({ sync: false, ...writtenTogether }));
}

/** Formats lines for people: time, message and fields. The process is omitted, because it is obvious in a terminal. */
function readable(output: DestinationStream | undefined): DestinationStream {
  // Reason for the assertion: `require` is untyped.
  // eslint-disable-next-line @typescript-eslint/no-require-imports -- an import would load it in every process
  const { default: pretty } = require('pino-pretty') as typeof Pretty;
  const destination = output === undefined ? 1 : linesTo(output);
  return pretty({
    destination,
    sync: true,
    singleLine: true,
    ignore: 'pid,component',
    translateTime: 'SYS:HH:MM:ss.l',
  });
}

function linesTo(output: DestinationStream): Writable {
  return new Writable({
    write: (line, _, done) => {
      output.write(String(line));
      done();
    },
  });
}

function withoutSecrets(fields: object, depth: number): Record<string, unknown> {
  const kept = Object.entries(fields).filter(([name]) => !secretName.test(name));
  return Object.fromEntries(kept.map(([name, value]) => [name, withoutDeepSecrets(value, depth)]));
}

function withoutDeepSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return depth === 1 ? value : briefError(value);
  if (depth >= depthMax) return undefined;
  if (Array.isArray(value)) return value.map((item) => withoutDeepSecrets(item, depth + 1));
  return 'toJSON' in value ? value : withoutSecrets(value, depth + 1);
}

/**
 * Type, message, code and stack with its causes. Other members of an error (a statement's parameters, a body, headers) are left out, and so
 * are values that an error quotes, which may be words of a person.
 */
function briefError(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { type, message, stack } = pino.stdSerializers.err(error);
  const shown = { message, stack };
  for (let [at, depth]: [unknown, number] = [error, 0]; at instanceof Error && depth < depthMax; depth += 1) {
    const { message: whole, cause } = at;
    const logged = loggedMessage(at);
    if (logged !== whole) {
      shown.message = shown.message.replaceAll(whole, () => logged);
      shown.stack = shown.stack.replaceAll(whole, () => logged);
    }
    at = cause;
  }
  return { type, ...shown, ...('code' in error ? { code: error.code } : {}) };
}

let silenced = false;

/** Silences `PinoNestLogger` from now on, for a start that is being ended: later failures are a consequence of that. */
export function silenceLogs(): void {
  silenced = true;
}

/** Lets `new Logger(SomeClass.name)` anywhere in the code write through pino; objects become fields of the line. */
export class PinoNestLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write(isNestsOwn(rest.at(-1)) ? 'debug' : 'info', message, rest);
  }

  warn(message: unknown, ...rest: unknown[]): void {
    this.write('warn', message, rest);
  }

  error(message: unknown, ...rest: unknown[]): void {
    this.write('error', message, rest);
  }

  debug(message: unknown, ...rest: unknown[]): void {
    this.write('debug', message, rest);
  }

  private write(level: 'info' | 'warn' | 'error' | 'debug', message: unknown, rest: unknown[]): void {
    if (silenced) return;
    // Nest appends the context's name as the last argument.
    const context = rest.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (message instanceof Error) this.pino[level]({ ...fields, err: message }, loggedMessage(message));
    else if (typeof message === 'object' && message !== null) this.pino[level]({ ...fields, ...message });
    else this.pino[level]({ ...fields, ...errorField(rest) }, String(message));
  }
}

/** Nest's own log contexts at a start: one line for every module and route, which would bury everything else. */
const nestsOwn = ['NestFactory', 'InstanceLoader', 'RoutesResolver', 'RouterExplorer', 'NestApplication'];

function isNestsOwn(context: unknown): boolean {
  return typeof context === 'string' && nestsOwn.includes(context);
}

function errorField(rest: unknown[]): object {
  const error = rest.find((item) => item instanceof Error);
  return error === undefined ? {} : { err: error };
}
