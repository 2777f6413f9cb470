/**
 * The vocabulary of other programs' failures. It must have no word that says something of a person, and few that people write at all: what
 * is not in it may have been quoted from what a person wrote.
 */
const vocabulary = new Set(
  `
  a an and are as at be by can cannot could did do does for from had has have in into is it its may must no none not of on only or our
  should than that the there this to was were when while will with without your
  abort aborted accept accepted access account address after again agent aggregate all allow allowed already api argument arguments array
  attempt audience auth authentication authorization authorize authorized available away backend bad before begin begun between body
  boolean broke broken buffer busy bytes call calls cannot capacity certificate character characters chat chunk client closed code column
  completion completions config configuration configured connect connected connection constraint content context control correct could
  credential credentials credit credits data database deadline debug decode default denied deployment deprecated disabled disconnected dns
  does domain duplicate duration empty enabled encoding end endpoint engine engines environment error errors exceed exceeded exceeds
  exception exist exists exit exited expected expired failed failure fetch field fields file forbidden format found function gateway grant
  handshake header headers high host html http https id image images in incorrect information input insufficient integer intermediate
  internal invalid io issuer json key keys large last late length less limit limited limits line load loading local long longer made
  malformed max maximum media message messages method min minimum minute minutes missing model models moved ms must name native network
  new no null number object offline offered ok omitted only open off operation option options organization out output overloaded own page
  parameter parameters parse parser part parts path payload payment per param permanently place permission permissions policy pool port position
  present processing project prompt property protocol provider proxy quota quotas rate reached read reading reason receive received
  redirect refuse refused reject rejected remote repeated request requests require required reset resource response responses restarted
  result retry role roles route schema scope second seconds secret security self send sending sent server service session signature
  signed size small socket source specified start started starting state status step stop stopped stream streaming string structured
  support supported syntax system table temperature temporarily temporary tenant terminated than time timed timeout tls token tokens
  too tool tools total transport truncated try trying type types unable unauthorized unavailable undefined unexpected unknown
  unprocessable unreachable unreadable unsupported unterminated until unverified upgrade upstream url usage use used user users utf uuid
  valid validation value values verify version wait was whole window within word words worker write wrong zero zone
  nothing understood outcome answer answered another began came course cut key invalid_request econnrefused econnreset econnaborted
  ehostunreach enetunreach enotfound enoent epipe etimedout eai_again und_err socket eproto
  `
    .split(/\s+/)
    .filter((word) => word !== ''),
);

/** A number of at most 6 digits, such as a status or a count of tokens. */
const figure = /^\d{1,6}$/;
/** Figures in a row, as telephone numbers and accounts have them; an address on the network is none. */
const figuresInRow = /\d[\d .,/-]*\d/g;
const networkAddress = /^\d{1,3}(?:\.\d{1,3}){3}$/;
const digitsInRowMax = 6;

/**
 * Returns what another program says of a failure, for the log: technical words, figures and punctuation stay, and `…` takes the place of all
 * else, since that may be quoted from what a person wrote.
 */
export function technicalWords(text: string): string {
  const withoutRows = text.replace(figuresInRow, (row) =>
    networkAddress.test(row) || row.replaceAll(/\D/g, '').length <= digitsInRowMax ? row : '…',
  );
  const words = withoutRows.replace(/[\p{L}\p{M}\p{N}]+/gu, (word) =>
    vocabulary.has(word.toLowerCase()) || figure.test(word) ? word : '…',
  );
  return words.replace(/…(?:[^\p{L}\p{N}]*…)+/gu, '…');
}
