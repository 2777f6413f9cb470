import { Injectable } from '@nestjs/common';
import {
  Clock,
  epochMsOf,
  instantOf,
  invalid,
  notFound,
  ok,
  refuse,
  type AutomationId,
  type Instant,
  type Result,
  type UserId,
} from '@app/kernel';
import { Database } from '@app/read-store';
import { setImmediate as others } from 'node:timers/promises';
import { Automations } from '../automation/automations';
import type { Simulation } from './evaluation.view';
import { inputsBetween } from '../inputs/recorded-inputs';
import { looksBetween, simulateLook, unsimulated } from './simulation';
import { coverageOf } from '../sources/source-coverage';
import { Samples } from '../sources/samples';

const spanMaxMs = 7 * 86_400_000;
/** Looks of one simulation: every minute of seven days, and as many inputs. Where there are more, it ends there, truncated. */
const looksMax = 20_160;
/** After so long others get their turn: a look takes as long as its rule and its event are large, some milliseconds at worst. */
const turnMs = 5;

/**
 * `automations.simulate`: what the present definition would have made of retained data, in any state, as if an epoch of it had begun at
 * `from`. It records nothing, and the same data give the same answer.
 */
@Injectable()
export class SimulateAutomation {
  constructor(
    private readonly automations: Automations,
    private readonly samples: Samples,
    private readonly database: Database,
    private readonly clock: Clock,
  ) {}

  /** Over what is after `from` and not after `to`. Refuses, in this order, with `invalid_input`, `not_found`. @throws Unavailable */
  async simulate(
    userId: UserId,
    automationId: AutomationId,
    asked: { readonly from: Instant; readonly to: Instant },
  ): Promise<Result<Simulation>> {
    const asOf = this.clock.now();
    // They may be spelled without milliseconds.
    const [from, to] = [instantOf(epochMsOf(asked.from)), instantOf(epochMsOf(asked.to))];
    if (to > asOf) return refuse(invalid('/to', 'must not be after now'));
    if (from >= to) return refuse(invalid('/to', 'must be after from'));
    if (epochMsOf(to) - epochMsOf(from) > spanMaxMs)
      return refuse(invalid('/from', 'must be at most 7 days before to'));
    const automation = await this.automations.fold(userId, automationId);
    if (automation === null) return refuse(notFound);
    const { definition, definitionVersion } = automation;
    const history = await this.samples.history(userId, definition.condition, from, to);
    const inputs = inputsBetween(this.database, automationId, from, to);
    let simulated = unsimulated;
    let looks = 0;
    let cut = false;
    let turnEndsMs = performance.now() + turnMs;
    for await (const look of looksBetween(automation, from, to, inputs)) {
      cut = looks === looksMax;
      if (cut) break;
      simulated = simulateLook(simulated, definition, history, look);
      looks += 1;
      if (performance.now() < turnEndsMs) continue;
      await others();
      turnEndsMs = performance.now() + turnMs;
    }
    const { evaluated, matched, unknown, unresolved, fired, truncated } = simulated;
    const coverage = coverageOf(definition.condition, history, from, to);
    const seen = { evaluated, matched, unknown, unresolved, fired, truncated: truncated || cut };
    return ok({ asOf, definitionVersion, coverage, ...seen });
  }
}
