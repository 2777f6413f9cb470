import { Clock } from '@app/kernel';

/** The machine's clock: the service clock of every mode except the sandbox. */
export class SystemClock extends Clock {
  epochMs(): number {
    return Date.now();
  }
}
