import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Clock, epochMsOf, instantOf, invalid, notFound, ok, refuse } from '@app/kernel';
import type { AutomationId, Instant, Result, UserId } from '@app/kernel';
import { Database } from '@app/read-store';
import { read } from '@app/schema';
import { KeyRing } from '@app/sealing';
import { setImmediate as others } from 'node:timers/promises';
import { evaluate } from '../condition/condition-evaluator';
import type { ConditionTest, Simulation } from '../simulation/evaluation.view';
import { InboundEventShape } from '../inputs/inbound-event';
import { inputsOf } from '../condition/readings';
import { Samples } from '../sources/samples';
import { AutomationReader } from '../automation/automation-reader';
import type { Automation } from '../automation/automation.state';
import { inputsBetween } from '../inputs/input.row';
import { looksBetween, simulateLook, unsimulated, type Simulated } from '../simulation/simulation';
import { coverageOf } from '../sources/source-coverage';
import type { SampleHistory } from '../sources/source-sample';

/**
 * Evaluates the rule once, in any state; records nothing and fires nothing. Refuses, in this order, with
 * `invalid_input`, `not_found`.
 * @throws Unavailable
 */
export class TestCondition extends Query<Result<ConditionTest>> {
  /** @param event an inbound event of any type, not validated yet; undefined for retained data alone */
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly event: unknown,
  ) {
    super();
  }
}

@QueryHandler(TestCondition)
class TestConditionHandler implements IQueryHandler<TestCondition> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly samples: Samples,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, event }: TestCondition): Promise<Result<ConditionTest>> {
    const given = event === undefined ? ok(null) : read(InboundEventShape, event, '/event');
    if (!given.ok) return given;
    const automation = await this.reader.find(userId, automationId);
    if (automation === null) return refuse(notFound);
    const { definition, definitionVersion } = automation;
    const at = this.clock.now();
    const readings = await this.samples.readings(userId, definition.condition, at, given.value, at);
    const { verdict, evaluatedAt, reasons } = evaluate(definition.condition, readings, at);
    const inputs = inputsOf(definition.condition, readings);
    return ok({ definitionVersion, evaluation: { verdict, evaluatedAt, reasons, inputs } });
  }
}

const spanMaxMs = 7 * 86_400_000;
/**
 * Maximum number of due times and inputs of one simulation: every minute of seven days, and as many inputs. If there
 * are more, it ends there, truncated.
 */
const looksMax = 20_160;
/** Yields to other work after this time: one evaluation takes as long as its rule and its event are large, some milliseconds at worst. */
const turnMs = 5;

/** The time after `from` and not after `to`. */
interface Span {
  readonly from: Instant;
  readonly to: Instant;
}

/**
 * The results of the present definition over data retained after `from` and not after `to`, in any state, as if an
 * epoch of it had begun at `from`. Records nothing, and the same data give the same answer. Refuses, in this order,
 * with `invalid_input`, `not_found`.
 * @throws Unavailable
 */
export class SimulateAutomation extends Query<Result<Simulation>> {
  constructor(
    readonly userId: UserId,
    readonly automationId: AutomationId,
    readonly span: Span,
  ) {
    super();
  }
}

@QueryHandler(SimulateAutomation)
class SimulateAutomationHandler implements IQueryHandler<SimulateAutomation> {
  constructor(
    private readonly reader: AutomationReader,
    private readonly samples: Samples,
    private readonly database: Database,
    private readonly keys: KeyRing,
    private readonly clock: Clock,
  ) {}

  async execute({ userId, automationId, span: asked }: SimulateAutomation): Promise<Result<Simulation>> {
    const asOf = this.clock.now();
    const span = spanBefore(asOf, asked);
    if (!span.ok) return span;
    const { from, to } = span.value;
    const automation = await this.reader.find(userId, automationId);
    if (automation === null) return refuse(notFound);
    const { definition, definitionVersion } = automation;
    const history = await this.samples.history(userId, definition.condition, from, to);
    const { database, keys } = this;
    const inputs = inputsBetween({ database, keys }, automationId, from, to);
    const looks = looksBetween(automation, from, to, inputs);
    const { evaluated, matched, unknown, unresolved, fired, truncated } = await simulate(automation, history, looks);
    const coverage = coverageOf(definition.condition, history, from, to);
    return ok({ asOf, definitionVersion, coverage, evaluated, matched, unknown, unresolved, fired, truncated });
  }
}

function spanBefore(asOf: Instant, asked: Span): Result<Span> {
  // Normalizes both, which may be spelled without milliseconds.
  const [from, to] = [instantOf(epochMsOf(asked.from)), instantOf(epochMsOf(asked.to))];
  if (to > asOf) return refuse(invalid('/to', 'must not be after now'));
  if (from >= to) return refuse(invalid('/to', 'must be after from'));
  if (epochMsOf(to) - epochMsOf(from) > spanMaxMs) return refuse(invalid('/from', 'must be at most 7 days before to'));
  return ok({ from, to });
}

/** Truncated where there are more due times and inputs than one simulation takes. */
async function simulate(
  { definition }: Automation,
  history: SampleHistory,
  looks: ReturnType<typeof looksBetween>,
): Promise<Simulated> {
  let simulated = unsimulated;
  let seen = 0;
  let turnEndsMs = performance.now() + turnMs;
  for await (const look of looks) {
    if (seen === looksMax) return { ...simulated, truncated: true };
    simulated = simulateLook(simulated, definition, history, look);
    seen += 1;
    if (performance.now() < turnEndsMs) continue;
    await others();
    turnEndsMs = performance.now() + turnMs;
  }
  return simulated;
}

export const simulationHandlers = [TestConditionHandler, SimulateAutomationHandler];
