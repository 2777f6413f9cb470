import { Injectable } from '@nestjs/common';
import { conversationKind } from '@app/conversations';
import { FoldedStates } from '@app/event-store';
import type { ConversationId } from '@app/kernel';
import type { Readable } from 'node:stream';
import { ArtifactStore } from './artifact-store';
import { isUtf8, textFormatOf } from './media-type';
import { PdfReader } from './pdf-reader';

/** An artifact's whole text, or why it has none, in words that can be told to a model. */
export type ReadText =
  | { readonly ok: true; readonly name: string; readonly mediaType: string; readonly text: string }
  | { readonly ok: false; readonly error: string };

/** No larger file is read, since all of it is held in memory. */
const readableBytesMax = 16 * 1024 * 1024;

/** Reads artifacts as text. */
@Injectable()
export class ArtifactReader {
  private readonly pdfs = new PdfReader();

  constructor(
    private readonly states: FoldedStates,
    private readonly store: ArtifactStore,
  ) {}

  /**
   * Text, CSV, JSON and the like are UTF-8; of a PDF, the text of its pages. No NUL is in it, and no lone surrogate.
   * Rejects with the signal's reason when it aborts. @throws Unavailable
   * @param artifactId whatever a model wrote; only an artifact of this conversation is read
   */
  async read(conversationId: ConversationId, artifactId: string, signal: AbortSignal): Promise<ReadText> {
    const { state } = await this.states.current(conversationKind, conversationId);
    const artifact = state.artifacts.find((one) => one.artifactId === artifactId.toLowerCase());
    if (artifact === undefined) return failed('the conversation has no such artifact');
    const { name, mediaType, bytes, sha256 } = artifact;
    const format = textFormatOf(mediaType, name);
    if (format === null) return failed(`${name} is ${mediaType}: only text, CSV, JSON and PDF can be read`);
    if (!isUtf8(mediaType)) return failed(`${name} is ${mediaType}: only UTF-8 can be read`);
    if (bytes > readableBytesMax) return failed(`${name} is too large to be read`);
    const content = await this.store.get(sha256);
    if (content === null) return failed(`the content of ${name} is gone`);
    const whole = await collect(content, signal);
    const text = format === 'pdf' ? await this.pdfs.textOf(whole, signal) : utf8In(whole);
    if (text === null) return failed(`${name} is not ${format === 'pdf' ? 'a PDF that can be read' : 'UTF-8 text'}`);
    // A NUL is no text, and the stores take none.
    return { ok: true, name, mediaType, text: text.replaceAll('\0', '\ufffd') };
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

/** Null for what is no UTF-8. */
function utf8In(bytes: Buffer): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return null; // the decoder fails for this reason only
  }
}

function failed(error: string): ReadText {
  return { ok: false, error };
}
