// The arguments of a script that starts something: a question for help starts nothing.

/** The exit code for wrong usage. */
const wrongUsage = 2;

/** Prints the usage and ends this process if one of its arguments asks for it. */
export function answerHelp(usage) {
  if (!process.argv.slice(2).some((argument) => ['--help', '-h'].includes(argument))) return;
  console.log(usage);
  process.exit();
}

/** The same; it also ends this process when `read` throws for its arguments. */
export function checkArguments(usage, read) {
  answerHelp(usage);
  try {
    read(process.argv.slice(2));
  } catch (error) {
    console.error(`${error.message}\n\n${usage}`);
    process.exit(wrongUsage);
  }
}
