import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { controls, DeploymentControls } from '@app/deployment';
import { Draining, ReadinessChecks } from '@app/http';
import { LogIdentity } from '@app/audit';
import { Clock, instantIn, productVersion, specificationRevision, Unavailable } from '@app/kernel';
import { Database, processGoneMs } from '@app/read-store';
import { Configuration } from '@app/settings';
import { holdersMax, silentMax, type DeploymentState, type UnreadPart } from './deployment.schema';

/**
 * Returns the deployment's controls, capacity, processes, leaders, and the state of each part; parts that the database does not answer are
 * left out. @throws Unavailable when the controls cannot be read
 */
export class ShowDeployment extends Query<DeploymentState> {}

type Process = DeploymentState['processes'][number];
type Silent = DeploymentState['silent'][number];
type Capacity = DeploymentState['capacity'];

const silentSince = '1 hour';

const utc = (column: string) => `to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;

@QueryHandler(ShowDeployment)
export class ShowDeploymentHandler implements IQueryHandler<ShowDeployment> {
  constructor(
    private readonly deploymentControls: DeploymentControls,
    private readonly database: Database,
    private readonly checks: ReadinessChecks,
    private readonly draining: Draining,
    private readonly configuration: Configuration,
    private readonly clock: Clock,
    private readonly identity: LogIdentity,
  ) {}

  async execute(): Promise<DeploymentState> {
    const [paused, { body }] = await Promise.all([
      this.deploymentControls.controls(),
      this.checks.report(this.draining.begun),
    ]);
    const { capacity, processes, silent, schema, log, unread } = await this.readableParts();
    return {
      now: this.clock.now(),
      controls: controls.map((control) => {
        const since = paused[control];
        return { control, paused: since !== null, since: since?.at ?? null, reason: since?.reason ?? null };
      }),
      capacity,
      processes,
      silent,
      versions: {
        product: productVersion,
        specification: specificationRevision,
        schema,
        node: process.version,
      },
      log,
      unread,
      status: body.status,
      parts: body.checks,
    };
  }

  /** Reads the parts that are in the database, all at once, so that their time limits do not add up. */
  private async readableParts() {
    const unread: UnreadPart[] = [];
    // An operator needs the others most when one of them cannot be read.
    const unless = <Value>(part: UnreadPart, read: Promise<Value>, instead: Value): Promise<Value> =>
      read.catch((error: unknown) => {
        if (!(error instanceof Unavailable)) throw error;
        unread.push(part);
        return instead;
      });
    const none = { total: this.configuration.env.EXECUTION_CAPACITY, inUse: null, holders: [] };
    const [capacity, processes, silent, schema, log] = await Promise.all([
      unless('capacity', this.capacity(), none),
      unless('processes', this.processes(), []),
      unless('silent', this.silent(), []),
      unless('schema', this.schema(), ''),
      unless('log', this.log(), { origin: null, held: null }),
    ]);
    return { capacity, processes, silent, schema, log, unread: unread.sort() };
  }

  private async capacity(): Promise<Capacity> {
    const [row] = await this.database.query<Pick<Capacity, 'inUse' | 'holders'>>(
      `WITH held AS (SELECT user_id, count(*) AS segments FROM execution_slots GROUP BY user_id),
       most AS (SELECT * FROM held ORDER BY segments DESC, user_id LIMIT $1)
       SELECT (SELECT coalesce(sum(segments), 0) FROM held)::integer AS "inUse",
              (SELECT coalesce(json_agg(json_build_object('userId', user_id, 'segments', segments)
                      ORDER BY segments DESC, user_id), '[]') FROM most) AS holders`,
      [holdersMax],
    );
    return { total: this.configuration.env.EXECUTION_CAPACITY, ...(row ?? { inUse: 0, holders: [] }) };
  }

  private async processes(): Promise<Process[]> {
    return this.database.query<Process>(
      `SELECT id AS "processId", api, worker, ${utc('started_at')} AS "startedAt", ${utc('heartbeat_at')} AS "heardAt",
              (SELECT count(*) FROM execution_slots AS s WHERE s.worker_id = p.id AND s.expires_at > now())::integer AS segments,
              leads, troubles
       FROM processes AS p WHERE heartbeat_at > now() - $1 * interval '1 ms' ORDER BY started_at, id`,
      [processGoneMs],
    );
  }

  private async silent(): Promise<Silent[]> {
    return this.database.query<Silent>(
      `SELECT id AS "processId", api, worker, ${utc('started_at')} AS "startedAt", ${utc('heartbeat_at')} AS "heardAt"
       FROM processes WHERE heartbeat_at <= now() - $1 * interval '1 ms' AND heartbeat_at > now() - interval '${silentSince}'
       ORDER BY heartbeat_at DESC, id LIMIT $2`,
      [processGoneMs, silentMax],
    );
  }

  private async log(): Promise<DeploymentState['log']> {
    const [{ origin }, hold] = await Promise.all([this.identity.row(), this.identity.hold()]);
    const since = hold === null ? null : instantIn(hold.since);
    return { origin, held: hold && { why: hold.why, since, says: hold.says } };
  }

  private async schema(): Promise<string> {
    const [row] = await this.database.query<{ name: string }>(
      'SELECT name FROM schema_migrations ORDER BY timestamp DESC LIMIT 1',
    );
    return row?.name ?? '';
  }
}
