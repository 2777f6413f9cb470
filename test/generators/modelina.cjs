// Generates Modelina's models for the document of the first argument, in each language of the other arguments, in the folder `<the first
// without .json>-<language>`.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const {
  CSHARP_JSON_SERIALIZER_PRESET,
  CSharpGenerator,
  GoGenerator,
  JavaGenerator,
  PythonGenerator,
  TypeScriptGenerator,
} = require('@asyncapi/modelina');

/** Modelina declares an optional constant as nullable, which C# does not allow. */
const csharpConstants = {
  class: {
    property: ({ content, property }) => (property.property.options.const ? content.replaceAll('?', '') : content),
  },
};

/**
 * Modelina does not import UUID for a list of them, and it gives a nullable member the name of the class that it holds, which then
 * implements itself.
 */
const javaImports = {
  class: {
    self({ content, model, renderer }) {
      if (content.includes('UUID[]')) renderer.dependencyManager.addDependency('import java.util.UUID;');
      return content.replace(/ implements ([^{]+) {/, (_, names) => {
        const others = names.split(', ').filter((name) => name !== model.name);
        return others.length === 0 ? ' {' : ` implements ${others.join(', ')} {`;
      });
    },
  },
};

const csharp = new CSharpGenerator({ presets: [CSHARP_JSON_SERIALIZER_PRESET, csharpConstants] });
const languages = {
  typescript: { generator: new TypeScriptGenerator(), options: { exportType: 'named' }, extension: 'ts' },
  python: { generator: new PythonGenerator(), options: { packageName: 'parley' }, extension: 'py' },
  csharp: { generator: csharp, options: { namespace: 'Parley' }, extension: 'cs' },
  java: {
    generator: new JavaGenerator({ presets: [javaImports] }),
    options: { packageName: 'parley' },
    extension: 'java',
  },
  go: { generator: new GoGenerator(), options: { packageName: 'parley' }, extension: 'go' },
};

async function write(input, language) {
  const { generator, options, extension } = languages[language];
  const models = await generator.generateCompleteModels(JSON.parse(readFileSync(input, 'utf8')), options);
  if (models.length === 0) throw new Error(`no models were made in ${language}`);
  const folder = `${input.replace(/\.json$/, '')}-${language}`;
  mkdirSync(folder, { recursive: true });
  for (const { modelName, result } of models) writeFileSync(join(folder, `${modelName}.${extension}`), result);
}

const [, , input, ...wanted] = process.argv;
void (async () => {
  for (const language of wanted) await write(input, language);
})();
