// Writes the models that Modelina makes of the document of the first argument, in the language of the second, to the folder of the third.
const { readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const {
  CSharpGenerator,
  GoGenerator,
  JavaGenerator,
  PythonGenerator,
  TypeScriptGenerator,
} = require('@asyncapi/modelina');

const languages = {
  typescript: { generator: new TypeScriptGenerator(), options: { exportType: 'named' }, extension: 'ts' },
  python: { generator: new PythonGenerator(), options: { packageName: 'parley' }, extension: 'py' },
  csharp: { generator: new CSharpGenerator(), options: { namespace: 'Parley' }, extension: 'cs' },
  java: { generator: new JavaGenerator(), options: { packageName: 'parley' }, extension: 'java' },
  go: { generator: new GoGenerator(), options: { packageName: 'parley' }, extension: 'go' },
};

const [, , input, language, folder] = process.argv;
const { generator, options, extension } = languages[language];

void generator.generateCompleteModels(JSON.parse(readFileSync(input, 'utf8')), options).then((models) => {
  if (models.length === 0) throw new Error('no models were made');
  for (const { modelName, result } of models) writeFileSync(join(folder, `${modelName}.${extension}`), result);
});
