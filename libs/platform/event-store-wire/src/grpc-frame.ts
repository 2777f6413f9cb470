/** gRPC's framing of messages in a stream: a byte that marks them as not compressed, four for the length, and the message. */

export const PREFIX_BYTES = 5;

/** Writes the prefix of a message of that length, and returns the offset after it. */
export function writePrefix(target: Buffer, messageBytes: number): number {
  target[0] = 0;
  return target.writeUInt32BE(messageBytes, 1);
}

export function framed(message: Uint8Array): Buffer {
  const frame = Buffer.allocUnsafe(PREFIX_BYTES + message.length);
  frame.set(message, writePrefix(frame, message.length));
  return frame;
}

/** Splits whole frames into their messages, as views. */
export function messagesIn(frames: Buffer): Buffer[] {
  const messages: Buffer[] = [];
  for (let at = 0; at < frames.length;) {
    const start = at + PREFIX_BYTES;
    at = start + frames.readUInt32BE(at + 1);
    messages.push(frames.subarray(start, at));
  }
  return messages;
}
