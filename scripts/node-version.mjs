// Imported first by every script: an old Node gets one clear line instead of a stack trace from a dependency.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(`Parley needs Node 20.19 or newer; this is ${process.version} (${process.execPath}).`);
  process.exit(1);
}
