import { Query, QueryHandler, type IQueryHandler } from '@nestjs/cqrs';
import { Logger } from '@nestjs/common';
import { ArtifactsOfUser } from '@app/artifacts';
import { EventStore } from '@app/event-store';
import { Clock, failureWords, ok, refuse, Unavailable, type Instant, type Result, type UserId } from '@app/kernel';
import { Database, ReadGate } from '@app/read-store';
import { KeyRing } from '@app/sealing';
import type { Readable } from 'node:stream';
import { PersonalStreams } from '../personal-streams';
import { Archive } from './archive';
import { ArtifactFiles } from './artifact-files';
import { EventLines } from './event-lines';
import { indexOf, manifestOf, type IndexedFile } from './export-index';
import { eventFiles } from './exported-kinds';
import { Gaps } from './gaps';
import { rowFiles, rowsOf } from './kept-rows';

/** Exports at a time in one process: each reads and compresses as fast as its reader takes it. */
const exportsMax = 2;
const retryAfterSeconds = 30;
/** How long read models that are behind are waited for. */
const caughtUpWithinMs = 10_000;
/** An export that is not taken whole within this time is cut. A reader that takes nothing is cut by its connection, much earlier. */
const exportWithinMs = 60 * 60 * 1_000;

/**
 * Everything that is kept of a user, as a ZIP archive that is made while it is read: the caller reads it to the end or destroys it. An archive
 * that cannot be completed breaks off. Refuses with `rate_limited` while others are made. @throws Unavailable
 */
export class ExportUser extends Query<Result<Readable>> {
  constructor(readonly userId: UserId) {
    super();
  }
}

@QueryHandler(ExportUser)
export class ExportUserHandler implements IQueryHandler<ExportUser> {
  private readonly logger = new Logger('Export');
  private running = 0;

  constructor(
    private readonly store: EventStore,
    private readonly keys: KeyRing,
    private readonly database: Database,
    private readonly gate: ReadGate,
    private readonly personal: PersonalStreams,
    private readonly artifacts: ArtifactsOfUser,
    private readonly clock: Clock,
  ) {}

  async execute({ userId }: ExportUser): Promise<Result<Readable>> {
    if (this.running >= exportsMax) return refuse({ kind: 'reason', reason: 'rate_limited', retryAfterSeconds });
    this.running += 1;
    const ended = () => (this.running -= 1);
    // Streams are found by the read models. What fails here is answered as a problem, and what fails later cuts the archive.
    await this.caughtUp().catch((error: unknown) => {
      ended();
      throw error;
    });
    const archive = Archive.made({ madeAt: new Date(), withinMs: exportWithinMs }, (into) => this.write(userId, into));
    archive.once('close', ended);
    archive.on('error', (error) => this.logger.error({ msg: `an export broke off: ${failureWords(error)}`, userId }));
    return ok(archive);
  }

  private async write(userId: UserId, archive: Archive): Promise<void> {
    const [madeAt, gaps]: [Instant, Gaps] = [this.clock.now(), new Gaps()];
    const files = [...(await this.addEvents(userId, archive, gaps)), ...(await this.addRows(userId, archive))];
    const artifacts = new ArtifactFiles(this.artifacts, userId, gaps);
    const list = await artifacts.addTo(archive);
    const { total, erased } = artifacts;
    files.push({ file: list, content: 'The list of uploaded files.', counts: { files: total } });
    const facts = { userId, madeAt, files, artifacts: { total, erased }, gaps };
    await archive.add('README.md', [indexOf(facts)]);
    await archive.add('manifest.json', [manifestOf(facts, archive.files)]);
  }

  /** @throws Unavailable if the read models stay behind */
  private async caughtUp(): Promise<void> {
    for (const sinceMs = performance.now(); !(await this.gate.caughtUp());) {
      if (performance.now() - sinceMs > caughtUpWithinMs)
        throw new Unavailable('database', { cause: new Error('the read models are behind') });
    }
  }

  private async addEvents(userId: UserId, archive: Archive, gaps: Gaps): Promise<IndexedFile[]> {
    const [lines, added]: [EventLines, IndexedFile[]] = [new EventLines(this.store, this.keys, userId, gaps), []];
    for (const { file: name, content, ...ids } of eventFiles) {
      const counts = { events: 0, streams: 0 };
      const file = await archive.add(name, lines.of(this.personal.ofKind(userId, ids), counts));
      added.push({ file, content, counts });
    }
    return added;
  }

  private async addRows(userId: UserId, archive: Archive): Promise<IndexedFile[]> {
    const added: IndexedFile[] = [];
    for (const rows of rowFiles) {
      const counts = { rows: 0 };
      const file = await archive.add(rows.file, rowsOf(this.database, userId, rows, counts));
      added.push({ file, content: rows.content, counts });
    }
    return added;
  }
}
