const uuidForm = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;

/**
 * Returns the id of the run that a message starts: the message's own id if it is a UUID, else a UUIDv5 of it in its
 * conversation. So a message that is sent again finds the run that it started, whatever `runId` its request has.
 */
export async function runIdOf(conversationId: string, messageId: string): Promise<string> {
  const own = messageId.toLowerCase();
  if (uuidForm.test(own)) return own;
  const namespace = Uint8Array.from(conversationId.replaceAll('-', '').match(/../g) ?? [], (byte) =>
    parseInt(byte, 16),
  );
  const name = new TextEncoder().encode(messageId);
  const whole = new Uint8Array(namespace.length + name.length);
  whole.set(namespace);
  whole.set(name, namespace.length);
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-1', whole)).slice(0, 16);
  // Version 5 and the variant of RFC 9562.
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x50;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = [...hash].map((byte) => byte.toString(16).padStart(2, '0')).join('');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
