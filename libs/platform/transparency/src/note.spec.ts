import { concat, fromBase64, uint64, utf8 } from './bytes';
import { checkpointText, parseCheckpoint } from './checkpoint';
import { cosign, cosignatureBy } from './cosignature';
import { parseVerifierKey, signingKey, verifierKeyText } from './keys';
import { rootOver, leafHash } from './merkle';
import { isNoteSignedBy, noteText, parseNote, signatureOf } from './note';
import { openCheckpoint } from './policy';
import { parseProof, proofText } from './proof';

const seed = (byte: number) => new Uint8Array(32).fill(byte);
const log = signingKey('log', 'parley/one', seed(1));
const witness = signingKey('witness', 'witness.example/w1', seed(2));
const other = signingKey('witness', 'witness.example/w2', seed(3));
const root = rootOver([leafHash(utf8('a')), leafHash(utf8('b'))]);
const text = checkpointText({ origin: 'parley/one', size: 2, root });
const signed = noteText({ text, signatures: [signatureOf(log, text)] });
const cosigned = noteText({ text, signatures: [signatureOf(log, text), cosign(witness, text, 1_767_225_600)] });
const policy = { log: [log], witnesses: [witness, other], needed: 1 };

describe('a signed note', () => {
  it('is verified as the example of C2SP signed-note', () => {
    const key = parseVerifierKey('example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k');
    const note = parseNote(
      'This is an example message.\n\n\u2014 example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n',
    );
    if (key === null || note === null) throw new Error('not read');
    expect(isNoteSignedBy(note, key)).toBe(true);
    expect(isNoteSignedBy({ ...note, text: 'This is an example massage.\n' }, key)).toBe(false);
  });

  it('comes back from its text, with any signatures', () => {
    expect(noteText(parseNote(cosigned) ?? { text: '', signatures: [] })).toBe(cosigned);
  });

  it.each([
    ['nothing', ''],
    ['no signature', `${text}\n`],
    ['no empty line', signed.replace('\n\n', '\n')],
    ['no newline at the end', signed.slice(0, -1)],
    ['a tab', signed.replace('2\n', '2\t\n')],
    ['a carriage return', signed.replaceAll('\n', '\r\n')],
    ['another dash', signed.replace('\u2014', '-')],
    ['a signature without bytes', `${text}\n\u2014 name AAAAAA==\n`],
    ['base64 with other bits at its end', `${text}\n\u2014 name AAAAAAAB\n`.replace('AAAB\n', 'AB==\n')],
    ['half a character', signed.replace('parley', '\ud800')],
  ])('is no text with %s', (_, note) => expect(parseNote(note)).toBeNull());

  it('is refused as a whole where something stands under the name of the key that it did not sign', () => {
    const forged = { ...signatureOf(log, text), bytes: new Uint8Array(64) };
    const note = { text, signatures: [signatureOf(log, text), forged] };
    expect(isNoteSignedBy(note, log)).toBe(false);
  });
});

describe('a verifier key', () => {
  it('is read as it is written', () => {
    for (const key of [log, witness]) {
      const { seed: _, ...verifier } = key;
      expect(parseVerifierKey(verifierKeyText(key))).toEqual(verifier);
    }
  });

  it.each([
    ['another id', verifierKeyText(log).replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
    ['another name', verifierKeyText(log).replace('one', 'two')],
    ['another type', verifierKeyText(log).replace('+AY', '+BY')],
    ['a part', verifierKeyText(log).split('+').slice(0, 2).join('+')],
  ])('is none with %s', (_, key) => expect(parseVerifierKey(key)).toBeNull());

  it.each(['', 'two words', 'a+b', 'a\n'])('cannot be named %j', (name) => {
    expect(() => signingKey('log', name, seed(1))).toThrow(RangeError);
  });
});

describe('a checkpoint', () => {
  it('comes back from its text', () => expect(parseCheckpoint(text)).toEqual({ origin: 'parley/one', size: 2, root }));

  it.each([
    ['a leading zero', text.replace('\n2\n', '\n02\n')],
    ['a size below zero', text.replace('\n2\n', '\n-2\n')],
    ['a size beyond what is exact', text.replace('\n2\n', '\n9007199254740993\n')],
    ['a short root', `parley/one\n2\nAAAA\n`],
    ['an extension line', `${text}more\n`],
    ['no origin', text.replace('parley/one', '')],
  ])('is none with %s', (_, changed) => expect(parseCheckpoint(changed)).toBeNull());

  it('is trusted where the log signed it, and witnessed where enough witnesses did', () => {
    expect(openCheckpoint(signed, policy)).toMatchObject({ size: 2, cosignatures: [], isWitnessed: false });
    const seconds = 1_767_225_600;
    expect(openCheckpoint(cosigned, policy)).toMatchObject({
      cosignatures: [{ witness: witness.name, seconds }],
      isWitnessed: true,
    });
    for (const needed of [2, -1, 0.5, NaN])
      expect(openCheckpoint(cosigned, { ...policy, needed })).toMatchObject({ isWitnessed: false });
    const twice = { ...policy, witnesses: [witness, witness], needed: 2 };
    expect(openCheckpoint(cosigned, twice)).toMatchObject({ isWitnessed: false });
    expect(openCheckpoint(signed, { ...policy, log: [signingKey('log', 'parley/two', seed(1))] })).toBe('other_log');
    expect(openCheckpoint(signed, { ...policy, log: [signingKey('log', 'parley/one', seed(9))] })).toBe('not_signed');
    expect(openCheckpoint('nothing', policy)).toBe('no_note');
  });
});

describe('a cosignature', () => {
  const note = parseNote(cosigned);

  it('says when; nothing of another text, time or witness passes for it', () => {
    if (note === null) throw new Error('not read');
    expect(cosignatureBy(note, witness)).toEqual({ witness: 'witness.example/w1', seconds: 1_767_225_600 });
    expect(cosignatureBy(note, other)).toBeNull();
    expect(cosignatureBy({ ...note, text: text.replace('\n2\n', '\n3\n') }, witness)).toBeNull();
    const [, line] = note.signatures;
    if (line === undefined) throw new Error('no line');
    const later = { ...line, bytes: concat(uint64(1_767_225_601), line.bytes.subarray(8)) };
    expect(cosignatureBy({ text, signatures: [later] }, witness)).toBeNull();
    expect(cosignatureBy({ text, signatures: [{ ...line, bytes: uint64(1) }] }, witness)).toBeNull();
  });
});

describe('a proof', () => {
  const proof = { index: 1, path: [leafHash(utf8('a'))], checkpoint: cosigned };

  it('comes back from its text, and may carry what nobody vouches for', () => {
    expect(parseProof(proofText(proof))).toEqual(proof);
    expect(parseProof(proofText(proof).replace('@v1\n', '@v1\nextra AAAA\n'))).toEqual(proof);
    expect(parseProof(proofText({ ...proof, path: [] }))).toEqual({ ...proof, path: [] });
  });

  it.each([
    ['another version', proofText(proof).replace('@v1', '@v2')],
    ['no index', proofText(proof).replace('index 1\n', '')],
    ['a hash too short', proofText({ ...proof, path: [fromBase64('AAAA') ?? utf8('')] })],
    ['a path too long', proofText({ ...proof, path: Array<Uint8Array>(64).fill(root) })],
  ])('is none with %s', (_, changed) => expect(parseProof(changed)).toBeNull());
});
