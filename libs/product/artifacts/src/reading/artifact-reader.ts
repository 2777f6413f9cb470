import { Injectable, Logger } from '@nestjs/common';
import { conversationKind, openArtifact, type OpenArtifact } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import { quoted, sentence, words, type ConversationId, type Ours, type UserId, type Words } from '@app/kernel';
import { abortAfter, TooManyWaiting } from '@app/runtime';
import type { Readable } from 'node:stream';
import { ArtifactBytes, ErasedContent } from '../sealed/artifact-bytes';
import { MissingContent } from '../stores/artifact-store';
import { isUtf8, textFormatOf } from '../media-type';
import { PdfReader, type TextPart } from './pdf-reader';
import { partOfStream } from './text-part';

/** A part of an artifact's text, or why it has none, in words for a model. */
export type ReadText =
  | ({ readonly ok: true; readonly name: string; readonly mediaType: string } & TextPart)
  | { readonly ok: false; readonly error: Words };

/** The text to read, and its reader. */
export interface WantedText {
  readonly userId: UserId;
  readonly conversationId: ConversationId;
  /** Any text from a model; only artifacts of this conversation are read. */
  readonly artifactId: string;
  /** Counted in code points, as `length` is. */
  readonly offset: number;
  readonly length: number;
}

/** The largest file that is read, because a PDF is held in memory as a whole. */
const readableBytesMax = 16 * 1024 * 1024;

/** A bound on the time, because bytes that trickle must not hold up a run. */
const readWithinMs = 60_000;

const unknownArtifact = 'the conversation has no such artifact';

/** Reads artifacts as text. */
@Injectable()
export class ArtifactReader {
  private readonly logger = new Logger('artifacts');
  private readonly pdfs = new PdfReader();

  constructor(
    private readonly states: FoldedStates,
    private readonly bytes: ArtifactBytes,
  ) {}

  /**
   * Reads text, CSV, JSON and the like as UTF-8; of a PDF, the text of its pages. The result holds no NUL and no lone surrogate. Rejects
   * with the signal's reason when it aborts. @throws Unavailable
   */
  async read(wanted: WantedText, stopping: AbortSignal): Promise<ReadText> {
    const signal = AbortSignal.any([stopping, abortAfter(readWithinMs)]);
    const { state } = await this.states.fresh(conversationKind, wanted.conversationId);
    const artifact = state.artifacts.find((one) => one.artifactId === wanted.artifactId.toLowerCase());
    const open = artifact === undefined ? null : openArtifact(artifact);
    if (open === null) return failWith(unknownArtifact);
    const { name, mediaType, bytes } = open;
    const file = quoted(name);
    const format = textFormatOf(mediaType, name);
    if (format === null)
      return failWith(words`${file} is ${quoted(mediaType)}: only text, CSV, JSON and PDF can be read`);
    if (!isUtf8(mediaType)) return failWith(words`${file} is ${quoted(mediaType)}: only UTF-8 can be read`);
    if (bytes > readableBytesMax) return failWith(words`${file} is too large to be read`);
    try {
      const part = await (format === 'pdf' ? this.ofPdf(open, wanted, signal) : this.ofText(open, wanted, signal));
      if (part === null)
        return failWith(words`${file} is not ${format === 'pdf' ? 'a PDF that can be read' : 'UTF-8 text'}`);
      // A NUL is not text, and the stores refuse it.
      return { ok: true, name, mediaType, ...part, text: part.text.replaceAll('\0', '\ufffd') };
    } catch (error) {
      if (error instanceof MissingContent) {
        this.logger.error('a run cannot read an artifact', error);
        return failWith(words`the content of ${file} is missing or damaged`);
      }
      if (error instanceof ErasedContent) return failWith(unknownArtifact);
      if (error instanceof TooManyWaiting) return failWith('too many of your PDFs wait to be read; try again later');
      throw error;
    }
  }

  private async ofText(file: OpenArtifact, wanted: WantedText, signal: AbortSignal): Promise<TextPart | null> {
    return partOfStream(await this.content(file, wanted, signal), wanted, signal);
  }

  private async ofPdf(file: OpenArtifact, wanted: WantedText, signal: AbortSignal): Promise<TextPart | null> {
    const { userId, offset, length } = wanted;
    const open = async () => collect(await this.content(file, wanted, signal), signal);
    return this.pdfs.textOf(userId, open, { offset, length }, signal);
  }

  private content(file: OpenArtifact, { conversationId }: WantedText, signal: AbortSignal): Promise<Readable> {
    return this.bytes.get({ ...file, conversationId }, { signal });
  }
}

async function collect(content: Readable, signal: AbortSignal): Promise<Buffer> {
  const chunks: Buffer[] = [];
  // Reason for the assertion: no store sets an encoding.
  for await (const chunk of content as AsyncIterable<Buffer>) {
    signal.throwIfAborted();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function failWith<const Text extends string>(error: Ours<Text>): ReadText {
  return { ok: false, error: sentence(error) };
}
