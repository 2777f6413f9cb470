// Documentation comments in the form that editors show best: first a plain description, and nothing that the type expresses already.

/** @param {string} text TypeScript printed by openapi-typescript @returns {string} */
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
/** Tags that repeat the type. */
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
