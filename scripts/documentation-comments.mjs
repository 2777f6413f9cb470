// Documentation comments as editors show them best: what a thing is first, in plain words, and nothing that its type says already.

/** @param {string} text TypeScript as openapi-typescript prints it @returns {string} */
export function plainComments(text) {
  return text.replaceAll(/^([ \t]*)\/\*\*([\s\S]*?)\*\/\n/gm, (_, indent, inner) => {
    const lines = inner.split('\n').map((line) => line.replace(/^\s*\* ?/, '').trim());
    const kept = paragraphs(lines.filter((line) => line !== ''));
    if (kept.length === 0) return '';
    if (kept.length === 1) return `${indent}/** ${kept[0]} */\n`;
    return `${indent}/**\n${kept.map((line) => `${indent} * ${line}`.trimEnd()).join('\n')}\n${indent} */\n`;
  });
}

const formats = { uuid: 'A UUID.', 'date-time': 'ISO 8601, in UTC.', uri: 'A URL.' };
/** What the type says already. */
const said = /^@(enum|constant)\b/;

function paragraphs(lines) {
  const format = lines.flatMap((line) => formats[line.replace(/^Format: /, '')] ?? []);
  const rest = lines.filter((line) => !line.startsWith('Format: ') && !said.test(line));
  const words = rest.filter((line) => !/^@(default|example)\b/.test(line));
  const tags = rest.filter((line) => /^@(default|example)\b/.test(line));
  const described = words.flatMap((line, at) => {
    const plain = line.replace(/^@description /, '');
    return plain !== line && at > 0 ? ['', plain] : [plain];
  });
  const after = [...format, ...tags];
  return described.length > 0 && after.length > 0 ? [...described, '', ...after] : [...described, ...after];
}
