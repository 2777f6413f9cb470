export { fromBase64, parseCount, textOf, toBase64, utf8 } from './bytes';
export { checkpointText, isPossible, parseCheckpoint, parseExtendedCheckpoint, type Checkpoint } from './checkpoint';
export { cosign, cosignatureBy, type Cosignature } from './cosignature';
export { bundleOf, entriesIn, entryBytes, parseEntry, type LogEntry } from './entry';
export { erasureText, parseErasure, verifyErasure, type ErasureReport, type ErasureStatement } from './erasure';
export {
  parseVerifierKey,
  signingKey,
  verifierKeyText,
  type SignatureKind,
  type SigningKey,
  type VerifierKey,
} from './keys';
export {
  emptyRoot,
  hashBytes,
  isConsistent,
  isContradiction,
  isIncluded,
  leafHash,
  leftLeaves,
  nodeHash,
  rootOver,
  sameHash,
  type Hash,
  type TreeHead,
} from './merkle';
export {
  isNoteSignedBy,
  noteText,
  parseNote,
  signatureLine,
  signatureOf,
  signaturesBy,
  type Note,
  type NoteSignature,
} from './note';
export {
  cosignaturesBy,
  isEnough,
  openCheckpoint,
  type Distrust,
  type TrustPolicy,
  type TrustedCheckpoint,
} from './policy';
export { parsePath, parseProof, proofText, type LogProof } from './proof';
export {
  TiledTree,
  TreeEdge,
  bundlePath,
  hashesIn,
  joined,
  parseTilePath,
  tilePath,
  tileWidth,
  tilesOf,
  type FullTile,
  type ReadTile,
  type TileName,
} from './tiles';
