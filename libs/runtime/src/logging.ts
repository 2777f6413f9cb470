import type { LoggerService } from '@nestjs/common';
import pino, { type Logger as Pino } from 'pino';
import type { Configuration } from './configuration';

/** Paths that may hold a credential; they are removed wherever a log line carries them. */
const secretPaths = ['authorization', 'x-api-key', 'headers', 'token', 'key', 'secret', 'password'].flatMap((name) => [
  `["${name}"]`,
  `*["${name}"]`,
]);

/** Structured JSON logs on standard output, for Nest's own `Logger` and for request lines. */
export function createPino(configuration: Configuration, component: string): Pino {
  return pino({
    level: configuration.env.LOG_LEVEL,
    base: { component, pid: process.pid },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: secretPaths, remove: true },
    formatters: { level: (label) => ({ level: label }) },
  });
}

/** Lets `new Logger(SomeClass.name)` anywhere in the code write through pino; objects become fields of the line. */
export class PinoNestLogger implements LoggerService {
  constructor(private readonly pino: Pino) {}

  log(message: unknown, ...rest: unknown[]): void {
    this.write('info', message, rest);
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
    // Nest appends the context's name as the last argument.
    const context = rest.at(-1);
    const fields = typeof context === 'string' ? { context } : {};
    if (message instanceof Error) this.pino[level]({ ...fields, err: message }, message.message);
    else if (typeof message === 'object' && message !== null) this.pino[level]({ ...fields, ...message });
    else this.pino[level]({ ...fields, ...errorField(rest) }, String(message));
  }
}

function errorField(rest: unknown[]): object {
  const error = rest.find((item) => item instanceof Error);
  return error === undefined ? {} : { err: error };
}
