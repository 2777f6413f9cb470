import type { Method } from '@app/http';
import { randomUUID } from 'node:crypto';
import { CommandFailed, reasonIn } from '../terminal/outcome';
import type { SandboxCalls } from './sandbox-calls';

/** The sandbox user of one scenario, with the calls of its partner, an operator and the sandbox. */
export class TriggerUser {
  private readonly undoing: { readonly what: string; readonly undo: () => Promise<unknown> }[] = [];

  private constructor(
    readonly calls: SandboxCalls,
    private readonly token: string,
    readonly subject: string,
    readonly userId: string,
  ) {}

  /** Creates a new user. @throws CommandFailed */
  static async provision(calls: SandboxCalls): Promise<TriggerUser> {
    const subject = `parley-trigger-${randomUUID()}`;
    const token = await calls.tokenOf(subject);
    const { userId } = await calls.asPartner<{ userId: string }>(token, 'POST', '/v1/users', {});
    return new TriggerUser(calls, token, subject, userId);
  }

  /** A call of the partner API, below the user's path. @throws CommandFailed when it is refused */
  async call<Answer>(method: Method, path: string, body?: object): Promise<Answer> {
    return this.calls.asPartner<Answer>(this.token, method, `/v1/users/${this.userId}${path}`, body);
  }

  /** Makes a call that is expected to be refused. @throws NoAnswer */
  async attempt(method: Method, path: string): Promise<void> {
    await this.calls.attempt(this.token, method, `/v1/users/${this.userId}${path}`);
  }

  /** A change by an operator, below the user's path. @throws CommandFailed */
  async operate(method: Method, path: string, change: object = {}): Promise<void> {
    const body = { ...change, reason: 'parley trigger' };
    await this.calls.asOperator(method, `/operator/v1/users/${this.userId}${path}`, body);
  }

  /** Registers an undo for when the command is done with the user, however it ends. */
  afterwards(what: string, undo: () => Promise<unknown>): void {
    this.undoing.unshift({ what, undo });
  }

  /** Runs all registered undos. @throws CommandFailed that names those that failed */
  async leave(): Promise<void> {
    const left: string[] = [];
    for (const { what, undo } of this.undoing.splice(0))
      await undo().catch((error: unknown) => left.push(`${what} of user ${this.userId}: ${reasonIn(error)}`));
    if (left.length > 0) throw new CommandFailed(`left behind: ${left.join('; ')}`);
  }
}
